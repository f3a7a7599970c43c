"""The logger: facts become triples in a graph."""
from __future__ import annotations

import hashlib
import re
import uuid
from datetime import datetime, timezone
from typing import Any, Dict, Iterable, List, Mapping, Sequence, Tuple

from ._rdf import FOAF, PROV, RDFS, TYPE, XSD, Graph, Literal, Namespace, URIRef
from .namespaces import AMOR, DEFAULT_PREFIXES, EMOML, MLS, OA, ONYX, ORO, SCHEMA, SEGB, SOSA
from .types import (ActivityKind, EmotionCategory, EmotionScore, ModelUsage, RDFTermLike, RobotStateSnapshot,
                    SharedEventPolicy, SharedEventRequest, SharedEventResolver)

Terms = Sequence[RDFTermLike]


class SemanticSEGBLogger:
    """Makes the triples of SEGB's logger, in graph. publish sends what is new."""

    DEFAULT_SHARED_EVENT_NAMESPACE = "https://gsi.upm.es/segb/shared-events/"
    ACTIVITY_KIND_TYPES: Mapping[ActivityKind, Tuple[str, ...]] = {
        ActivityKind.LISTENING: ("oro:ListeningEvent",), ActivityKind.DECISION: ("oro:DecisionMakingAction",),
        ActivityKind.RESPONSE: ("oro:ResponseAction",),
        ActivityKind.EMOTION_RECOGNITION: ("oro:EmotionRecognitionEvent",),
        ActivityKind.EMOTION_ANALYSIS: ("onyx:EmotionAnalysis",),
        ActivityKind.HUMAN_DETECTION: ("oro:DetectedHumanEvent",), ActivityKind.ML_RUN: ("mls:Run",),
    }

    def __init__(self, *, base_namespace: str, robot_id: str, robot_name: str | None = None,
                 default_language: str = "en", graph: Any = None, namespace_prefix: str = "robotlog",
                 compact_resource_ids: bool = False, shared_event_policy: SharedEventPolicy | None = None,
                 shared_event_resolver: SharedEventResolver | None = None, emit_prov_redundant: bool = True,
                 strict_result_typing: bool = False) -> None:
        self.base_namespace = _namespace(base_namespace)
        self.base = Namespace(self.base_namespace)
        self.default_language = default_language
        self.graph = Graph() if graph is None else graph
        self.namespace_prefix = _prefix(namespace_prefix)
        self.compact_resource_ids = bool(compact_resource_ids)
        self.emit_prov_redundant = bool(emit_prov_redundant)
        self.strict_result_typing = bool(strict_result_typing)
        self.prefixes: Dict[str, Any] = {**DEFAULT_PREFIXES, self.namespace_prefix: self.base}
        for prefix, namespace in self.prefixes.items():
            self.graph.bind(prefix, namespace)
        self.robot_uri = self.resource_uri("robot", robot_id)
        self.shared_event_policy = shared_event_policy or SharedEventPolicy()
        self.shared_event_resolver = shared_event_resolver
        self.register_robot(robot_name=robot_name)

    # IRIs and values.

    def resolve_term(self, value: RDFTermLike) -> Any:
        """Returns the IRI of an IRI, of prefix:name, or of a name in the base namespace."""
        if isinstance(value, URIRef):
            return value
        if not isinstance(value, str) or not value.strip():
            raise ValueError("a term must be an IRI or a str that is not empty")
        term = value.strip()
        if term.startswith(("http://", "https://")):
            return URIRef(term)
        prefix, colon, local = term.partition(":")
        if not colon:
            return self.base[term]
        if prefix not in self.prefixes:
            raise ValueError("unknown prefix %r: use one of %s" % (prefix, ", ".join(sorted(self.prefixes))))
        if not local:
            raise ValueError("%r has no name after the colon" % term)
        return self.prefixes[prefix][local]

    def resource_uri(self, kind: str, resource_id: str | None = None) -> Any:
        """Makes an IRI in the base namespace, from an id or at random."""
        if not isinstance(kind, str) or not kind.strip():
            raise ValueError("kind must be a str that is not empty")
        suffix = _slug(resource_id) if resource_id else uuid.uuid4().hex
        return self.base["%s_%s" % (_slug(kind), suffix) if self.compact_resource_ids else
                         "%s/%s" % (kind.strip(), suffix)]

    def _literal(self, value: Any) -> Any:
        if isinstance(value, Literal):
            return value
        if isinstance(value, datetime):
            return Literal(_utc(value).isoformat(), datatype=XSD.dateTime)
        for kind, datatype in (bool, XSD.boolean), (int, XSD.long), (float, XSD.double):
            if isinstance(value, kind):
                return Literal(value, datatype=datatype)
        return Literal(str(value))

    def _terms(self, values: Terms | None) -> List[Any]:
        return [self.resolve_term(value) for value in values or ()]

    def _add(self, subject: Any, predicate: Any, *objects: Any) -> None:
        for o in objects:
            self.graph.add((subject, predicate, o))

    def _text(self, subject: Any, predicate: Any, text: str | None, language: str | None = None) -> None:
        if text:
            self._add(subject, predicate, Literal(text, lang=language or self.default_language))

    def _link(self, subject: RDFTermLike, predicate: Any, objects: Iterable[RDFTermLike], general: Any = None) -> None:
        """Adds triples, and with emit_prov_redundant those of the more general predicate."""
        s = self.resolve_term(subject)
        for o in map(self.resolve_term, objects):
            self._add(s, predicate, o)
            if general is not None and self.emit_prov_redundant:
                self._add(s, general, o)

    def _activity(self, activity: RDFTermLike, *types: Any) -> Any:
        uri = self.resolve_term(activity)
        self._add(uri, TYPE, PROV.Activity, SEGB.LoggedActivity, *types)
        return uri

    def _result(self, uri: Any) -> None:
        self._add(uri, TYPE, SEGB.Result, *(() if self.strict_result_typing else (PROV.Activity,)))

    def _result_of(self, entity: Any, activity: Any) -> None:
        self._link(activity, SEGB.producedEntityResult, [entity], PROV.generated)

    # Who and what there is.

    def register_robot(self, *, robot_uri: RDFTermLike | None = None, robot_name: str | None = None,
                       owner: RDFTermLike | None = None) -> Any:
        uri = self.robot_uri if robot_uri is None else self.resolve_term(robot_uri)
        self._add(uri, TYPE, PROV.Agent, ORO.Robot)
        self._text(uri, SCHEMA.name, robot_name)
        self._link(uri, ORO.belongsTo, [owner] if owner else [])
        self.robot_uri = uri
        return uri

    def register_human(self, human_id: str, *, first_name: str | None = None, homepage: str | None = None) -> Any:
        uri = self.resource_uri("human", human_id)
        self._add(uri, TYPE, PROV.Person, FOAF.Person, ORO.Human)
        self._text(uri, FOAF.firstName, first_name)
        if homepage:
            self._add(uri, FOAF.homepage, URIRef(homepage))
        return uri

    def register_ml_model(self, model_id: str, *, label: str | None = None, version: str | None = None,
                          provider: RDFTermLike | None = None, endpoint: str | None = None,
                          comment: str | None = None, characteristics: Mapping[str, Any] | None = None) -> Any:
        uri = self.resource_uri("model", model_id)
        self._add(uri, TYPE, MLS.Model, PROV.Entity)
        self._result(uri)
        self._text(uri, RDFS.label, label)
        if version:
            self._add(uri, SCHEMA.version, Literal(version))
        name = "" if provider is None else str(provider).strip()
        if isinstance(provider, URIRef) or name.startswith(("http://", "https://")):
            self._add(uri, SCHEMA.provider, URIRef(name))
        elif name:
            organization = self.resource_uri("organization", name)
            self._add(organization, TYPE, SCHEMA.Organization)
            self._text(organization, SCHEMA.name, name)
            self._add(uri, SCHEMA.provider, organization)
        if endpoint:
            self._add(uri, SCHEMA.url, (URIRef if endpoint.startswith(("http://", "https://")) else Literal)(endpoint))
        self._text(uri, RDFS.comment, comment)
        for key, value in (characteristics or {}).items():
            quality = self.resource_uri("model-characteristic", "%s_%s" % (model_id, key))
            self._add(quality, TYPE, MLS.ModelCharacteristic)
            self._add(quality, RDFS.label, Literal(key, lang="en"))
            self._add(quality, MLS.hasValue, self._literal(value))
            self._add(uri, MLS.hasQuality, quality)
        return uri

    def register_dataset(self, dataset_id: str, *, label: str | None = None, comment: str | None = None) -> Any:
        return self._entity("dataset", dataset_id, MLS.Dataset, label, comment)

    def register_model_evaluation(self, evaluation_id: str, *, value: float, label: str | None = None,
                                  comment: str | None = None) -> Any:
        uri = self._entity("model-eval", evaluation_id, MLS.ModelEvaluation, label, comment)
        self._add(uri, MLS.hasValue, self._literal(float(value)))
        return uri

    def _entity(self, kind: str, id: str, type: Any, label: str | None, comment: str | None) -> Any:
        uri = self.resource_uri(kind, id)
        self._add(uri, TYPE, type, PROV.Entity)
        self._text(uri, RDFS.label, label)
        self._text(uri, RDFS.comment, comment)
        return uri

    # What happens.

    def log_activity(self, *, activity_id: str | None = None, activity_kind: ActivityKind | str,
                     extra_types: Terms | None = None, label: str | None = None,
                     related_shared_events: Terms | None = None, performer: RDFTermLike | None = None,
                     started_at: datetime | None = None, ended_at: datetime | None = None,
                     triggered_by_activity: RDFTermLike | None = None, triggered_by_entity: RDFTermLike | None = None,
                     triggered_by_entities: Terms | None = None, intermediate_activities: Terms | None = None,
                     used_entities: Terms | None = None, used_models: Terms | None = None,
                     model_usages: Sequence[ModelUsage] | None = None, produced_entity_results: Terms | None = None,
                     produced_activity_results: Terms | None = None) -> Any:
        uri = self.resource_uri("activity", activity_id)
        kind = _kind(activity_kind)
        self._activity(uri, *self._terms(self.ACTIVITY_KIND_TYPES[kind]), *self._terms(extra_types))
        self._text(uri, RDFS.label, label)
        self._link(uri, SEGB.wasPerformedBy, [performer or self.robot_uri], PROV.wasAssociatedWith)
        for predicate, when in (PROV.startedAtTime, started_at), (PROV.endedAtTime, ended_at):
            known = set(self.graph.objects(uri, predicate)) if when else ()
            if when and not known:
                self._add(uri, predicate, self._literal(when))
            elif when and self._literal(when) not in known:
                raise ValueError("%s has another time already: an activity_id is for one execution" % uri)
        for event in self._terms(related_shared_events):
            self.link_activity_to_shared_event(uri, event)
        causes = [t for t in (triggered_by_entity, *(triggered_by_entities or ())) if t is not None]
        activities = [] if triggered_by_activity is None else [triggered_by_activity]
        self._link(uri, SEGB.triggeredByActivity, activities, PROV.wasInfluencedBy)
        self._link(uri, SEGB.triggeredByEntity, causes, PROV.wasInfluencedBy)
        self._link(uri, SEGB.intermediateActivity, intermediate_activities or (), PROV.wasInfluencedBy)
        self._link(uri, PROV.used, used_entities or ())
        for model in used_models or ():
            self.link_activity_model(uri, model)
        for usage in model_usages or ():
            self._use(uri, usage)
        self._link(uri, SEGB.producedEntityResult, produced_entity_results or (), PROV.generated)
        self._link(uri, SEGB.producedActivityResult, produced_activity_results or ())
        return uri

    def _use(self, activity: Any, usage: ModelUsage) -> None:
        self.link_activity_model(activity, usage.model)
        implementation, software = None, usage.software_label or usage.software_version
        if usage.implementation is not None or usage.parameters or software:
            implementation = (self.resource_uri("implementation") if usage.implementation is None else
                              self.resolve_term(usage.implementation))
            self._add(implementation, TYPE, MLS.Implementation)
            self._add(implementation, MLS.implements, self.resolve_term(usage.model))
            self._add(activity, MLS.executes, implementation)
        if software:
            uri = self.resource_uri("software", usage.software_label)
            self._add(uri, TYPE, MLS.Software)
            for predicate, text in (RDFS.label, usage.software_label), (SCHEMA.version, usage.software_version):
                self._add(uri, predicate, *([Literal(text)] if text else []))
            self._add(uri, MLS.hasPart, implementation)
        for key, value in usage.parameters.items():
            parameter, setting = self.resource_uri("hyperparameter", key), self.resource_uri("hyperparameter-setting")
            self._add(parameter, TYPE, MLS.HyperParameter)
            self._add(parameter, RDFS.label, Literal(str(key), lang="en"))
            self._add(setting, TYPE, MLS.HyperParameterSetting)
            self._add(setting, MLS.specifiedBy, parameter)
            self._add(setting, MLS.hasValue, self._literal(value))
            self._add(activity, MLS.hasInput, setting)
            self._add(activity, PROV.used, setting)
            self._add(implementation, MLS.hasHyperParameter, parameter)

    def log_observation(self, *, observation_id: str | None = None, label: str | None = None,
                        observation_types: Terms | None = None, generated_by_activity: RDFTermLike | None = None,
                        related_shared_event: RDFTermLike | None = None, confidence: float | None = None,
                        mark_as_result: bool = False) -> Any:
        if confidence is not None and related_shared_event is None:
            raise ValueError("confidence needs related_shared_event")
        uri = self.resource_uri("observation", observation_id)
        self._add(uri, TYPE, PROV.Entity, *self._terms(observation_types))
        if mark_as_result:
            self._result(uri)
        self._text(uri, RDFS.label, label)
        if generated_by_activity is not None:
            self._generated(uri, generated_by_activity)
        if related_shared_event is not None:
            self.link_observation_to_shared_event(uri, related_shared_event, confidence=confidence)
        return uri

    def _generated(self, entity: Any, by: RDFTermLike) -> None:
        activity = self._activity(by)
        self._add(entity, PROV.wasGeneratedBy, activity)
        self._result_of(entity, activity)

    def log_message(self, text: str, *, message_id: str | None = None, language: str | None = None,
                    message_types: Terms | None = None, generated_by_activity: RDFTermLike | None = None,
                    previous_message: RDFTermLike | None = None, sender: RDFTermLike | None = None) -> Any:
        uri = self.resource_uri("message", message_id)
        types = self._terms(message_types)
        self._add(uri, TYPE, SCHEMA.Message, PROV.Entity, *types)
        if language is None and ORO.InitialMessage in types:
            raise ValueError("an oro:InitialMessage needs a language, such as \"es\"")
        self._add(uri, SCHEMA.text, Literal(text, lang=language or self.default_language))
        for predicate in (SCHEMA.sender, PROV.wasAttributedTo) if sender is not None else ():
            self._link(uri, predicate, [sender or ""])
        if generated_by_activity:
            self._generated(uri, generated_by_activity)
        self._link(uri, PROV.wasDerivedFrom, [previous_message] if previous_message else [])
        return uri

    def log_emotion_annotation(self, *, source_activity: RDFTermLike, targets: Terms,
                               emotions: Sequence[EmotionScore], annotation_id: str | None = None,
                               emotion_model: RDFTermLike = EMOML.big6) -> Any:
        if not emotions:
            raise ValueError("emotions must not be empty")
        activity = self._activity(source_activity, ONYX.EmotionAnalysis)
        self._link(activity, ONYX.usesEmotionModel, [emotion_model])
        uri = self.resource_uri("emotion-annotation", annotation_id)
        self._add(uri, TYPE, AMOR.EmotionAnnotation, OA.Annotation, PROV.Entity)
        self._result(uri)
        self._result_of(uri, activity)
        self._link(uri, OA.hasTarget, targets)
        for score in emotions:
            emotion = self.resource_uri("emotion")
            self._add(emotion, TYPE, ONYX.Emotion)
            self._add(emotion, ONYX.hasEmotionCategory, self._category(score.category))
            self._add(emotion, ONYX.hasEmotionIntensity, Literal(float(score.intensity), datatype=XSD.float))
            if score.confidence is not None:
                self._add(emotion, ONYX.algorithmConfidence, Literal(float(score.confidence), datatype=XSD.float))
            self._add(uri, ONYX.hasEmotion, emotion)
        return uri

    def _category(self, category: RDFTermLike) -> Any:
        if isinstance(category, URIRef):
            return category
        try:
            return self.resolve_term(EmotionCategory.coerce(category).value)
        except ValueError:
            word = category.strip() if isinstance(category, str) else ""
            if ":" not in word or word.startswith("emoml:big6_"):
                raise
            return self.resolve_term(word)

    def log_robot_state(self, snapshot: RobotStateSnapshot, *, state_id: str | None = None,
                        source_activity: RDFTermLike | None = None) -> Any:
        uri = self.resource_uri("state", state_id)
        self._add(uri, TYPE, PROV.Entity)
        self._result(uri)
        self._add(uri, PROV.wasAttributedTo, self.robot_uri)
        self._add(uri, PROV.generatedAtTime, self._literal(snapshot.timestamp or datetime.now(timezone.utc)))
        if source_activity is not None:
            self._result_of(uri, self._activity(source_activity))
        self._link(uri, PROV.atLocation, [snapshot.location] if snapshot.location else [])
        self._text(uri, RDFS.comment, snapshot.note)
        for name in "battery_level", "cpu_load", "memory_load":
            if getattr(snapshot, name) is not None:
                value = float(getattr(snapshot, name))
                self._property(uri, name, value * 100 if 0 <= value <= 1 else value, "PERCENT")
        for name in "autonomy_mode", "mission_phase", "network_status":
            if getattr(snapshot, name) is not None:
                self._property(uri, name, getattr(snapshot, name))
        for key, value in snapshot.custom.items():
            self._property(uri, str(key), value)
        return uri

    def _property(self, state: Any, name: str, value: Any, unit: str | None = None) -> None:
        uri = self.resource_uri("state-property", "%s_%s" % (name, uuid.uuid4().hex))
        self._add(uri, TYPE, SCHEMA.PropertyValue)
        self._add(uri, SCHEMA.propertyID, Literal(name))
        self._add(uri, SCHEMA.value, self._literal(value))
        self._add(uri, SCHEMA.unitCode, *([Literal(unit)] if unit else []))
        self._add(state, SCHEMA.additionalProperty, uri)

    # Relations.

    def link_triggered_activity(self, activity: RDFTermLike, trigger_activity: RDFTermLike) -> None:
        self._link(activity, SEGB.triggeredByActivity, [trigger_activity], PROV.wasInfluencedBy)

    def link_triggered_entity(self, activity: RDFTermLike, trigger_entity: RDFTermLike) -> None:
        self._link(activity, SEGB.triggeredByEntity, [trigger_entity], PROV.wasInfluencedBy)

    def link_intermediate_activity(self, activity: RDFTermLike, intermediate_activity: RDFTermLike) -> None:
        self._link(activity, SEGB.intermediateActivity, [intermediate_activity], PROV.wasInfluencedBy)

    def link_influence(self, activity: RDFTermLike, influencer: RDFTermLike) -> None:
        self._link(activity, PROV.wasInfluencedBy, [influencer])

    def link_entity_result(self, activity: RDFTermLike, entity_result: RDFTermLike) -> None:
        self._result_of(entity_result, activity)

    def link_activity_model(self, activity: RDFTermLike, model: RDFTermLike) -> None:
        self._link(activity, SEGB.usedMLModel, [model], PROV.used)
        self._add(self.resolve_term(model), TYPE, MLS.Model)

    def link_ml_run_input(self, run_activity: RDFTermLike, input_entity: RDFTermLike) -> None:
        for predicate in MLS.hasInput, PROV.used:
            self._link(run_activity, predicate, [input_entity])

    def link_ml_run_output(self, run_activity: RDFTermLike, output_entity: RDFTermLike) -> None:
        for predicate in MLS.hasOutput, PROV.generated, SEGB.producedEntityResult:
            self._link(run_activity, predicate, [output_entity])

    def link_activity_to_shared_event(self, activity: RDFTermLike, shared_event: RDFTermLike) -> None:
        self._link(activity, SCHEMA.about, [shared_event])
        self._add(self.resolve_term(shared_event), TYPE, PROV.Entity, SCHEMA.Event)

    def link_observation_to_shared_event(self, observation_entity: RDFTermLike, shared_event: RDFTermLike, *,
                                         confidence: float | None = None) -> None:
        observation, event = self.resolve_term(observation_entity), self.resolve_term(shared_event)
        self._add(observation, PROV.specializationOf, event)
        self._add(event, TYPE, PROV.Entity, SCHEMA.Event)
        if confidence is not None:
            name = "shared_event_confidence"
            uri = self.resource_uri("observation-property", "%s_%s" % (
                name, _digest(12, observation, event, name)))
            self._add(uri, TYPE, SCHEMA.PropertyValue)
            self._add(uri, SCHEMA.propertyID, Literal(name))
            self._add(uri, SCHEMA.value, Literal(float(confidence), datatype=XSD.float))
            self._add(observation, SCHEMA.additionalProperty, uri)

    # Shared events.

    def get_shared_event_uri(self, *, event_kind: str, observed_at: datetime, subject: RDFTermLike | None = None,
                             text: str | None = None, modality: str | None = None,
                             shared_event_namespace: str | None = None, event_types: Terms | None = None,
                             event_id: str | None = None, time_bucket_seconds: int | None = None,
                             resolver: SharedEventResolver | None = None,
                             policy: SharedEventPolicy | None = None) -> Any:
        """Returns the IRI that the resolver gives, or without one that of resolve_shared_event."""
        policy = policy or self.shared_event_policy
        namespace = policy.namespace if shared_event_namespace is None else shared_event_namespace
        bucket = policy.time_bucket_seconds if time_bucket_seconds is None else time_bucket_seconds
        types = tuple(event_types or ())
        ask = self.shared_event_resolver if resolver is None else resolver
        about = None if subject is None else self.resolve_term(subject)
        found = ask(SharedEventRequest(event_kind, observed_at, subject, text, modality, namespace, types, event_id,
                                       bucket)) if ask is not None else None
        if found is None:
            return self.resolve_shared_event(
                event_kind=event_kind, observed_at=observed_at, subject=about, text=text, modality=modality,
                shared_event_namespace=namespace, event_types=types, event_id=event_id, time_bucket_seconds=bucket)
        if namespace:
            self.graph.bind("shared-event", Namespace(_namespace(namespace)))
        uri = self.resolve_term(found)
        self._event(uri, _bucket(observed_at, bucket), about, text, modality, types, event_id and _slug(event_id))
        return uri

    def resolve_shared_event(self, *, event_kind: str, observed_at: datetime, subject: RDFTermLike | None = None,
                             text: str | None = None, modality: str | None = None,
                             shared_event_namespace: str | None = None, event_types: Terms | None = None,
                             event_id: str | None = None, time_bucket_seconds: int = 1) -> Any:
        """Makes the IRI of a shared event from its kind, time, subject, modality and text, or from event_id."""
        if not isinstance(event_kind, str) or not event_kind.strip():
            raise ValueError("event_kind must be a str that is not empty")
        if not isinstance(observed_at, datetime):
            raise TypeError("observed_at must be a datetime")
        namespace = Namespace(_namespace(shared_event_namespace or self.DEFAULT_SHARED_EVENT_NAMESPACE))
        about = None if subject is None else self.resolve_term(subject)
        at = _bucket(observed_at, time_bucket_seconds)
        key = _slug(event_id) if event_id is not None else "%s_%s" % (_slug(event_kind), _digest(
            20, _canonical(event_kind), at.isoformat(), about or "", _canonical(modality), _canonical(text)))
        uri = namespace[key]
        self.graph.bind("shared-event", namespace)
        self._event(uri, at, about, text, modality, event_types, key)
        return uri

    def _event(self, uri: Any, at: datetime, about: Any, text: str | None, modality: str | None, types: Terms | None,
               key: str | None) -> None:
        text = text.strip() if isinstance(text, str) and text.strip() else None
        modality = modality.strip() if isinstance(modality, str) and modality.strip() else None
        language = self.default_language
        self._add(uri, TYPE, PROV.Entity, SCHEMA.Event, *self._terms(types))
        for predicate, o in ((SCHEMA.identifier, key and Literal(key)), (PROV.generatedAtTime, self._literal(at)),
                             (SCHEMA.about, about), (SCHEMA.description, text and Literal(text, lang=language))):
            if o is not None and o != "" and not any(True for _ in self.graph.objects(uri, predicate)):
                self._add(uri, predicate, o)
        if modality:
            digest = _digest(12, at.isoformat(), _canonical(modality), text or "")
            observation = URIRef("%s#observation-%s" % (uri, digest))
            procedure = URIRef("%s#procedure-%s" % (uri, _slug(modality)))
            self._add(observation, TYPE, SOSA.Observation)
            self._add(observation, SOSA.hasFeatureOfInterest, uri)
            self._add(observation, SOSA.resultTime, self._literal(at))
            self._add(observation, SOSA.usedProcedure, procedure)
            self._add(procedure, TYPE, SOSA.Procedure)
            self._text(procedure, RDFS.label, modality)
            self._text(observation, SOSA.hasSimpleResult, text)

    # The graph.

    def merge_turtle(self, ttl_content: str) -> None:
        if not isinstance(ttl_content, str) or not ttl_content.strip():
            raise ValueError("ttl_content must be a str that is not empty")
        self.graph.parse(data=ttl_content, format="turtle")

    def serialize(self, *, format: str = "turtle") -> str:
        data = self.graph.serialize(format=format)
        return data.decode("utf-8") if isinstance(data, bytes) else data

    def publish(self, publisher: Any, *, user: str | None = None) -> Dict[str, Any]:
        """Publishes what is new since the publisher's last time."""
        answer: Dict[str, Any] = publisher.publish_graph(self.graph, user=user)
        return answer


def _namespace(namespace: str) -> str:
    if not isinstance(namespace, str) or not namespace.strip():
        raise ValueError("a namespace must be a str that is not empty")
    namespace = namespace.strip()
    return namespace if namespace.endswith(("#", "/")) else namespace + "/"


def _prefix(prefix: str) -> str:
    if not isinstance(prefix, str) or not prefix.strip():
        raise ValueError("namespace_prefix must be a str that is not empty")
    prefix = re.sub(r"[^A-Za-z0-9_]+", "_", prefix.strip()).strip("_").lower()
    if not prefix:
        raise ValueError("namespace_prefix must have a letter or a digit")
    return "ns_" + prefix if prefix[0].isdigit() else prefix


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", text.strip()).strip("_").lower() or uuid.uuid4().hex


def _utc(at: datetime) -> datetime:
    return (at if at.tzinfo is not None else at.replace(tzinfo=timezone.utc)).astimezone(timezone.utc)


def _bucket(at: datetime, seconds: int) -> datetime:
    if seconds <= 0:
        raise ValueError("time_bucket_seconds must be over 0")
    return datetime.fromtimestamp(int(_utc(at).timestamp()) // seconds * seconds, tz=timezone.utc)


def _canonical(text: str | None) -> str:
    return re.sub(r"\s+", " ", (text or "").strip().lower())


def _digest(digits: int, *parts: Any) -> str:
    return hashlib.sha256("|".join(map(str, parts)).encode("utf-8")).hexdigest()[:digits]


def _kind(value: ActivityKind | str) -> ActivityKind:
    word = value.strip().lower().replace("-", "_") if isinstance(value, str) else value
    for kind in ActivityKind:
        if word in (kind, kind.value, kind.name.lower()):
            return kind
    raise ValueError("activity_kind must be one of %s, not %r" % (", ".join(k.value for k in ActivityKind), value))
