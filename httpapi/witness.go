package httpapi

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/gorilla/mux"

	"github.com/segraph/segraph/store/log/witness"
)

// mediaSize is the media type of a tree's size (C2SP tlog-witness).
const mediaSize = "text/x.tlog.size"

// witnessRoutes returns the routes of the witness. They are public: a checkpoint's
// signature says who sends it.
func (a *API) witnessRoutes() []route {
	text := []content{{"text/plain", "Text"}}
	return []route{
		{http.MethodPost, "/add-checkpoint", nil, witness.MaxRequest, a.postCheckpoint, operation{
			id: "addCheckpoint", tag: "Transparency log", summary: "Cosign a checkpoint of another log",
			description: "Makes this service cosign a checkpoint of a log that SEGRAPH_WITNESS_OF names (C2SP tlog-witness). " +
				"The body has a line such as `old 20`, the lines of a consistency proof from that size, an empty line, and the checkpoint. " +
				"If the last cosigned checkpoint has another size, the answer is 409 with that size.",
			body:      text,
			responses: []answer{{200, "The cosignature, as a line of a signed note.", text}, {409, "The size of the last cosigned checkpoint.", []content{{mediaSize, "Text"}}}},
			problems:  []int{400, 403, 404, 422, 429},
		}},
		{http.MethodGet, "/witness/{origin_hash}/checkpoint", nil, a.service.Config().Limits.Body, a.getCosigned, operation{
			id: "cosignedCheckpoint", tag: "Transparency log", summary: "Read the last checkpoint that was cosigned for another log",
			description: "The checkpoint has the log's signature and this witness's cosignature. The monitoring prefix of C2SP tlog-witness is /witness.",
			parameters:  []parameter{{name: "origin_hash", in: "path", description: "The SHA-256 of the log's name, in hexadecimal.", schema: anyText}},
			responses:   []answer{{200, "The checkpoint.", text}},
			problems:    []int{404},
		}},
	}
}

func (a *API) postCheckpoint(w http.ResponseWriter, r *http.Request) error {
	var body []byte
	if a.service.Config().Witness != nil { // else strangers' bodies would take room in vain
		var err error
		if body, err = a.front.ReadBody(r); err != nil {
			return err
		}
	}
	line, err := a.service.AddCheckpoint(r.Context(), body)
	if other, ok := errors.AsType[*witness.SizeError](err); ok {
		w.Header().Set("Content-Type", mediaSize)
		w.WriteHeader(http.StatusConflict)
		_, _ = w.Write([]byte(strconv.FormatUint(other.Size, 10) + "\n")) // the client may be gone
		return nil
	}
	if err != nil {
		return err
	}
	return sendBytes(w, "text/plain; charset=utf-8", []byte(line))
}

func (a *API) getCosigned(w http.ResponseWriter, r *http.Request) error {
	signed, err := a.service.CosignedCheckpoint(mux.Vars(r)["origin_hash"])
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-cache")
	return sendBytes(w, "text/plain; charset=utf-8", []byte(signed))
}
