// Package vocabulary holds the names used in published logs: the namespaces, classes and
// properties known to the semantic checks, the reports and the graph page. The store
// accepts any RDF and does not use them. The names of RDF itself and of XML Schema are in
// package rdf.
package vocabulary

import (
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Sentences are the texts that go with a person.
var Sentences = store.Sentences{
	Texts: []rdf.Term{rdf.NewIRI(SchemaText), rdf.NewIRI(RDFS + "label"), rdf.NewIRI(RDFS + "comment"), rdf.NewIRI(Schema + "description")},
	From:  []rdf.Term{rdf.NewIRI(ProvWasGeneratedBy)},
	To:    []rdf.Term{rdf.NewIRI(ProvGenerated), rdf.NewIRI(SegbProducedEntityResult)},
	About: rdf.NewIRI(SchemaAbout),
}

// Namespaces. Schema uses http, as today's robots do.
const (
	Prov   = "http://www.w3.org/ns/prov#"
	Segb   = "http://www.gsi.upm.es/ontologies/segb/ns#"
	Oro    = "http://kb.openrobots.org#"
	Schema = "http://schema.org/"
	FOAF   = "http://xmlns.com/foaf/0.1/"
	Onyx   = "http://www.gsi.upm.es/ontologies/onyx/ns#"
	Emoml  = "http://www.gsi.upm.es/ontologies/onyx/vocabularies/emotionml/ns#"
	Amor   = "http://www.gsi.upm.es/ontologies/amor/ns#"
	OA     = "http://www.w3.org/ns/oa#"
	MLS    = "http://www.w3.org/ns/mls#"
	SOSA   = "http://www.w3.org/ns/sosa/"
	RDFS   = "http://www.w3.org/2000/01/rdf-schema#"
	OWL    = "http://www.w3.org/2002/07/owl#"
	Sc     = "urn:segraph:ns#" // shared contexts, the resolver's own
)

// EmotionSet is a regular expression, of Go and of SPARQL, for the set of "Vocabularies for EmotionML" with which the name of an
// emotion's category may begin, as in big6_sadness.
const EmotionSet = "(big6|everyday|occ|fsre|frijda)(-categories)?_"

// Prefixes returns the usual prefix of each namespace, sorted by label.
func Prefixes() []turtle.Prefix {
	return []turtle.Prefix{
		{Label: "amor", Namespace: Amor},
		{Label: "emoml", Namespace: Emoml},
		{Label: "foaf", Namespace: FOAF},
		{Label: "mls", Namespace: MLS},
		{Label: "oa", Namespace: OA},
		{Label: "onyx", Namespace: Onyx},
		{Label: "oro", Namespace: Oro},
		{Label: "owl", Namespace: OWL},
		{Label: "prov", Namespace: Prov},
		{Label: "rdf", Namespace: rdf.RDF},
		{Label: "rdfs", Namespace: RDFS},
		{Label: "sc", Namespace: Sc},
		{Label: "schema", Namespace: Schema},
		{Label: "segb", Namespace: Segb},
		{Label: "sosa", Namespace: SOSA},
		{Label: "xsd", Namespace: rdf.XSD},
	}
}

// Classes of agents.
const (
	ProvAgent         = Prov + "Agent"
	ProvPerson        = Prov + "Person"
	ProvSoftwareAgent = Prov + "SoftwareAgent"
	SchemaPerson      = Schema + "Person"
	FOAFPerson        = FOAF + "Person"
	OroRobot          = Oro + "Robot"
	OroHuman          = Oro + "Human"
)

// Classes of activities. Every activity has a class of the second group, in addition to
// those of the first.
const (
	ProvActivity       = Prov + "Activity"
	SegbLoggedActivity = Segb + "LoggedActivity"

	OroListeningEvent          = Oro + "ListeningEvent"
	OroDecisionMakingAction    = Oro + "DecisionMakingAction"
	OroResponseAction          = Oro + "ResponseAction"
	OroEmotionRecognitionEvent = Oro + "EmotionRecognitionEvent"
	OnyxEmotionAnalysis        = Onyx + "EmotionAnalysis"
	OroDetectedHumanEvent      = Oro + "DetectedHumanEvent"
	MLSRun                     = MLS + "Run"

	ScEmergencyStop = Sc + "EmergencyStop" // pressed or released, as its label says
	ScIncident      = Sc + "Incident"      // something failed
)

// Statuses of actions.
const (
	SchemaPotentialActionStatus = Schema + "PotentialActionStatus"
	SchemaActiveActionStatus    = Schema + "ActiveActionStatus"
	SchemaCompletedActionStatus = Schema + "CompletedActionStatus"
	SchemaFailedActionStatus    = Schema + "FailedActionStatus"
)

// Classes of the inputs and results of activities.
const (
	ProvEntity             = Prov + "Entity"
	SegbResult             = Segb + "Result"
	SchemaMessage          = Schema + "Message"
	OroInitialMessage      = Oro + "InitialMessage"
	OroResponseMessage     = Oro + "ResponseMessage"
	AmorEmotionAnnotation  = Amor + "EmotionAnnotation"
	OAAnnotation           = OA + "Annotation"
	OnyxEmotion            = Onyx + "Emotion"
	SchemaPropertyValue    = Schema + "PropertyValue"
	SchemaThing            = Schema + "Thing"
	SchemaEvent            = Schema + "Event"
	SOSAObservation        = SOSA + "Observation"
	SOSAProcedure          = SOSA + "Procedure"
	MLSModel               = MLS + "Model"
	MLSImplementation      = MLS + "Implementation"
	MLSSoftware            = MLS + "Software"
	MLSHyperParameter      = MLS + "HyperParameter"
	MLSHyperParameterValue = MLS + "HyperParameterSetting"
	MLSDataset             = MLS + "Dataset"
	MLSModelEvaluation     = MLS + "ModelEvaluation"
)

// Properties of agents.
const (
	SchemaName    = Schema + "name"
	OroBelongsTo  = Oro + "belongsTo"
	FOAFFirstName = FOAF + "firstName"
	FOAFHomepage  = FOAF + "homepage"
)

// Properties of activities.
const (
	SegbWasPerformedBy       = Segb + "wasPerformedBy"
	ProvWasAssociatedWith    = Prov + "wasAssociatedWith"
	ProvStartedAtTime        = Prov + "startedAtTime"
	ProvEndedAtTime          = Prov + "endedAtTime"
	SchemaActionStatus       = Schema + "actionStatus"
	SchemaAbout              = Schema + "about"
	SegbTriggeredByActivity  = Segb + "triggeredByActivity"
	SegbTriggeredByEntity    = Segb + "triggeredByEntity"
	ProvWasInformedBy        = Prov + "wasInformedBy"
	ProvWasInfluencedBy      = Prov + "wasInfluencedBy"
	ProvUsed                 = Prov + "used"
	SegbUsedMLModel          = Segb + "usedMLModel"
	SegbProducedEntityResult = Segb + "producedEntityResult"
	ProvGenerated            = Prov + "generated"
	RDFSLabel                = RDFS + "label"
)

// Properties of messages.
const (
	SchemaText          = Schema + "text"
	SchemaSender        = Schema + "sender"
	SchemaRecipient     = Schema + "recipient"
	ProvWasAttributedTo = Prov + "wasAttributedTo"
	ProvWasGeneratedBy  = Prov + "wasGeneratedBy"
	ProvWasDerivedFrom  = Prov + "wasDerivedFrom"
)

// Properties of emotions and of their annotations.
const (
	OAHasTarget             = OA + "hasTarget"
	OnyxHasEmotion          = Onyx + "hasEmotion"
	OnyxHasEmotionCategory  = Onyx + "hasEmotionCategory"
	OnyxHasEmotionIntensity = Onyx + "hasEmotionIntensity"
	OnyxAlgorithmConfidence = Onyx + "algorithmConfidence"
	OnyxUsesEmotionModel    = Onyx + "usesEmotionModel"
)

// Properties of robot states.
const (
	ProvGeneratedAtTime      = Prov + "generatedAtTime"
	ProvAtLocation           = Prov + "atLocation"
	SchemaAdditionalProperty = Schema + "additionalProperty"
	SchemaPropertyID         = Schema + "propertyID"
	SchemaValue              = Schema + "value"
	SchemaUnitCode           = Schema + "unitCode"
)

// Properties of machine learning.
const (
	MLSHasInput    = MLS + "hasInput"
	MLSHasOutput   = MLS + "hasOutput"
	MLSExecutes    = MLS + "executes"
	MLSHasValue    = MLS + "hasValue"
	MLSSpecifiedBy = MLS + "specifiedBy"
	SchemaVersion  = Schema + "version"
	SchemaProvider = Schema + "provider"
)

// Properties of shared events and observations of them.
const (
	SchemaIdentifier         = Schema + "identifier"
	SchemaDescription        = Schema + "description"
	SOSAHasFeatureOfInterest = SOSA + "hasFeatureOfInterest"
	SOSAResultTime           = SOSA + "resultTime"
	SOSAUsedProcedure        = SOSA + "usedProcedure"
	SOSAHasSimpleResult      = SOSA + "hasSimpleResult"
	ProvSpecializationOf     = Prov + "specializationOf"
)
