package httpapi

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gorilla/mux"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/segraph/segraph/evidence"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
)

// evidenceRoutes returns the routes of the transparency log, in the layout of C2SP
// tlog-tiles. If the log is public, everyone may read hashes, but never entries.
func (a *API) evidenceRoutes() []route {
	c := a.service.Config()
	readers := auditors
	if c.PublicLog {
		readers = nil
	}
	tile := func(example string) []parameter {
		return []parameter{{name: "tile", in: "path", description: "The rest of the tile's path, such as " + example + ".",
			schema: map[string]any{"type": "string", "examples": []string{example}}}}
	}
	binary := []content{{"application/octet-stream", "Binary"}}
	return []route{
		{http.MethodGet, "/log/checkpoint", readers, c.Limits.Body, a.getCheckpoint, operation{
			id: "checkpoint", tag: "Transparency log", summary: "Read the log's signed checkpoint",
			description: "The size and root hash of the tree over the journal (C2SP tlog-checkpoint), at most a second old. " +
				"If witnesses cosigned a checkpoint in the last ten seconds, the answer is that one.",
			responses: []answer{{200, "The checkpoint.", []content{{"text/plain", "Text"}}}},
			problems:  []int{404, 503},
		}},
		{http.MethodGet, "/log/tile/entries/{tile}", auditors, c.Limits.Body, a.getEntryBundle, operation{
			id: "entryBundle", tag: "Transparency log", summary: "Read entries of the log",
			description: "An entry bundle (C2SP tlog-tiles): up to 256 stored entries, each after its length in two bytes.",
			parameters:  tile("000.p/1"),
			responses:   []answer{{200, "The entries.", binary}},
			problems:    []int{404, 503},
		}},
		{http.MethodGet, "/log/tile/{tile}", readers, c.Limits.Body, a.getTile, operation{
			id: "tile", tag: "Transparency log", summary: "Read hashes of the log",
			description: "A tile (C2SP tlog-tiles): up to 256 hashes of one level.",
			parameters:  tile("0/000.p/1"),
			responses:   []answer{{200, "The hashes.", binary}},
			problems:    []int{404, 503},
		}},
		{http.MethodGet, "/logs/{log_id}/receipt", auditors, c.Limits.Body, a.getReceipt, operation{
			id: "receipt", tag: "Journal", summary: "Get the receipt of a log",
			description: "A proof, signed by the service, that the journal has the log's entry (C2SP tlog-proof), with the salt of its hashes. " +
				"A log in parts gets the receipt of its first part.",
			parameters: []parameter{logID},
			responses:  []answer{{200, "The receipt.", []content{{"application/json", "Receipt"}}}},
			problems:   []int{404, 503},
		}},
		{http.MethodPost, "/evidence", auditors, c.Limits.Body, a.postEvidence, operation{
			id: "evidence", tag: "Transparency log", summary: "Make an evidence bundle",
			description: "A zip file that proves to outsiders what was logged: a page to read, the entries, what the logs said, and proofs. " +
				"It covers one of: logs, an IRI, a query, a review case, or all entries between two times. " +
				"`segraph evidence verify` verifies it without the service.",
			body:      []content{{"application/json", "EvidenceRequest"}},
			responses: []answer{{200, "The bundle.", []content{{"application/zip", "Bundle"}}}},
			problems:  []int{400, 404, 422, 503, 504},
		}},
	}
}

// postEvidence answers with an evidence bundle.
func (a *API) postEvidence(w http.ResponseWriter, r *http.Request) error {
	o := a.front.Members(r)
	about := evidence.About{IRI: o.OptionalText("iri"), Query: o.OptionalText("query"), Case: o.OptionalText("case"), User: o.OptionalText("user")}
	o.Only("logs", "iri", "query", "case", "from", "to", "user") // a misspelt member would prove something else
	about.Logs = logIDs(o)
	for name, to := range map[string]**time.Time{"from": &about.From, "to": &about.To} {
		if at := optionalTime(o, name); !at.IsZero() {
			*to = &at
		}
	}
	if err := o.Err(); err != nil {
		return err
	}
	front.Parsed(r) // a bundle waits for memory too
	bundle, err := a.service.Prove(r.Context(), front.ActorOf(r), about)
	if err != nil {
		return err
	}
	return front.SendBundle(w, bundle)
}

func (a *API) getCheckpoint(w http.ResponseWriter, r *http.Request) error {
	signed, err := a.service.Checkpoint(r.Context())
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-cache")
	return sendBytes(w, "text/plain; charset=utf-8", signed)
}

func (a *API) getTile(w http.ResponseWriter, r *http.Request) error {
	t, err := tileOf(mux.Vars(r)["tile"])
	if err != nil {
		return err
	}
	if t.L < 0 {
		return front.NewProblem(http.StatusNotFound, "a tile of entries is at /log/tile/entries")
	}
	hashes, err := a.service.Tile(r.Context(), t.L, uint64(t.N), t.W)
	if err != nil {
		return err
	}
	return sendTile(w, hashes)
}

// getEntryBundle sends entries of the transparency log. Package tlog names tiles of entries as it
// names tiles of hashes, with the word data in the place of the level.
func (a *API) getEntryBundle(w http.ResponseWriter, r *http.Request) error {
	t, err := tileOf("data/" + mux.Vars(r)["tile"])
	if err != nil {
		return err
	}
	bundle, err := a.service.EntryBundle(r.Context(), uint64(t.N), t.W)
	if err != nil {
		return err
	}
	return sendTile(w, bundle)
}

// tileOf parses the end of a tile's path. It adds the height, which package tlog expects
// in the path.
func tileOf(path string) (tlog.Tile, error) {
	t, err := tlog.ParseTilePath("tile/8/" + path)
	if err != nil {
		return t, front.NewProblem(http.StatusNotFound, "%.100q is not the path of a tile, such as 0/x001/067 or 0/000.p/17", strings.TrimPrefix(path, "data/"))
	}
	return t, nil
}

// sendTile sends a tile, which never changes.
func sendTile(w http.ResponseWriter, b []byte) error {
	w.Header().Set("Cache-Control", "max-age=604800, immutable")
	return sendBytes(w, "application/octet-stream", b)
}

func sendBytes(w http.ResponseWriter, kind string, b []byte) error {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	_, _ = w.Write(b) // the client may be gone
	return nil
}

func (a *API) getReceipt(w http.ResponseWriter, r *http.Request) error {
	receipt, err := a.service.LogReceipt(r.Context(), mux.Vars(r)["log_id"])
	return front.WriteResult(w, http.StatusOK, receipt, err)
}

// wantsReceipt reports whether a request prefers a receipt (RFC 7240).
func wantsReceipt(r *http.Request) bool {
	for _, v := range r.Header.Values("Prefer") {
		for one := range strings.SplitSeq(v, ",") {
			name, _, _ := strings.Cut(one, ";")
			if strings.EqualFold(strings.TrimSpace(name), "receipt") {
				return true
			}
		}
	}
	return false
}

// addReceipt adds a receipt to the answer for a stored document. If that fails, the answer
// has no receipt; the document stays stored.
func (a *API) addReceipt(w http.ResponseWriter, r *http.Request, added *service.Insertion) {
	if added.Index == nil {
		return
	}
	receipt, err := a.service.Receipt(r.Context(), *added.Index)
	if err != nil {
		a.log.WarnContext(r.Context(), "a receipt could not be made", "error", err)
		return
	}
	added.Receipt = receipt
	w.Header().Set("Preference-Applied", "receipt")
}
