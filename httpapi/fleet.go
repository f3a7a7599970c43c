package httpapi

import (
	"errors"
	"net/http"

	"github.com/segraph/segraph/store/fleet/pack"
)

func (a *API) fleetRoutes() []route {
	text := []content{{"text/plain", "Text"}}
	return []route{
		{http.MethodPost, "/forward", boxes, pack.MaxSent, a.postForward, operation{
			id: "forward", tag: "Transparency log", summary: "Receive a part of a box's journal",
			description: "The body is a pack: consecutive entries of the journal of a box that SEGRAPH_BOXES names, with what its logs said and a checkpoint. " +
				"The pack is verified before anything of it is stored. The answer confirms it: the box's checkpoint with the cosignature of this centre. " +
				"A pack without entries has only a report of the box, which is signed too. " +
				"409 means that the pack begins elsewhere than the last one ended; ask GET /forward.",
			body:      []content{{pack.MediaType, "Pack"}},
			responses: []answer{{200, "The newest confirmation, a signed note; empty if no entry has arrived.", text}},
			problems:  []int{400, 404, 409, 422},
		}},
		{http.MethodGet, "/forward", boxes, a.service.Config().Limits.Body, a.getForward, operation{
			id: "forwarded", tag: "Transparency log", summary: "Read the newest confirmation of a box's journal",
			parameters: []parameter{{name: "log", in: "query", required: true, description: "The name of the box's transparency log.", schema: anyText}},
			responses:  []answer{{200, "The confirmation, a signed note.", text}, {204, "Nothing of this log has arrived.", nil}},
			problems:   []int{404},
		}},
	}
}

func (a *API) postForward(w http.ResponseWriter, r *http.Request) error {
	sent, err := a.front.Receive(r)
	if err != nil {
		return err
	}
	note, err := a.service.StoreForwarded(r.Context(), sent.Take)
	if err = errors.Join(err, sent.Close()); err != nil {
		return err
	}
	return sendBytes(w, "text/plain; charset=utf-8", []byte(note))
}

func (a *API) getForward(w http.ResponseWriter, r *http.Request) error {
	note, err := a.service.NewestForwarded(r.URL.Query().Get("log"))
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-cache")
	if note == "" {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	return sendBytes(w, "text/plain; charset=utf-8", []byte(note))
}
