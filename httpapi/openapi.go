package httpapi

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store"
)

// schemas are the OpenAPI document's components/schemas.
//
//go:embed schemas.json
var schemas []byte

// operation holds what the OpenAPI document says about a route, besides method, path,
// roles and limit.
type operation struct {
	id, tag, summary, description string

	parameters []parameter
	body       []content // accepted bodies; empty means no body
	responses  []answer  // answers on success
	problems   []int     // statuses of problem documents, besides those of every route or every body

	optionalBody bool // the body may be missing

	retry retry // whether a request that is sent again gets the first answer

	refused string // why other methods are refused, and what to do

	destructive bool // pages ask for confirmation first
}

// retry says what makes a request a repeated one.
type retry string

const (
	byKey     retry = "key"       // the header Idempotency-Key
	byKeyOrID retry = "key or id" // or else the header X-Request-ID
)

// parameters returns the header parameters of a retry.
func (t retry) parameters() (list []parameter) {
	if t != "" {
		list = append(list, parameter{name: front.KeyHeader, in: "header", schema: map[string]any{"type": "string", "minLength": 1, "maxLength": 257},
			description: "A key of 1 to 255 characters, with or without quotes. If the request is sent again, it gets the first answer, and nothing is done twice. " +
				"With another body, the answer is 422."})
	}
	if t == byKeyOrID {
		list = append(list, parameter{name: "X-Request-ID", in: "header", schema: map[string]any{"type": "string"},
			description: "Without an Idempotency-Key: if the request is sent again with the same id and body, and was successful, it gets the first answer."})
	}
	return list
}

type parameter struct {
	name, in, description string
	schema                map[string]any
	required              bool // path parameters always are
}

// content is a media type and the name of its schema.
type content struct{ mediaType, schema string }

type answer struct {
	status      int
	description string
	content     []content
}

// document returns the OpenAPI 3.1 document of the routes; segb is Config.SEGB.
func document(routes []route, version string, segb bool) []byte {
	var components map[string]any
	if err := json.Unmarshal(schemas, &components); err != nil { // a fault of the build, which every test finds
		panic(fmt.Errorf("read schemas.json: %w", err))
	}
	if segb {
		require(components, "Publication", "ttl_content")
		require(components, "Deletion")
		require(components, "Ready", "ready", "triplestore", "store", "virtuoso")
	}
	paths := map[string]map[string]any{}
	var tags []string
	for _, r := range routes {
		if !slices.Contains(tags, r.doc.tag) {
			tags = append(tags, r.doc.tag)
		}
		if paths[r.path] == nil {
			paths[r.path] = map[string]any{}
		}
		paths[r.path][strings.ToLower(r.method)] = r.operation()
	}
	out, err := json.MarshalIndent(map[string]any{
		"openapi": "3.1.0",
		"info": map[string]any{
			"title":       "segraph",
			"version":     version,
			"description": "A semantic event graph service. Robots publish logs as Turtle; people export and inspect the graph. HEAD works wherever GET does.",
			"license":     map[string]any{"name": "Apache-2.0", "identifier": "Apache-2.0"},
		},
		// relative to the document's own address, since both listeners serve it
		"servers": []any{map[string]any{"url": "./"}},
		"tags":    named(tags),
		"paths":   paths,
		"components": map[string]any{
			"schemas": components,
			"headers": map[string]any{"GraphStore": map[string]any{
				"description": "Present while a separate graph store does not answer queries: unreachable or resync if the file takes writes " +
					"and answers queries meanwhile, or conflict if it does neither. See graph_store in /healthz/ready.",
				"schema": map[string]any{"enum": []string{store.FollowUnreachable, store.FollowResync, store.FollowConflict}},
			}},
			"securitySchemes": map[string]any{
				"bearer": map[string]any{
					"type": "http", "scheme": "bearer", "bearerFormat": "JWT",
					"description": "A JWT signed with HS256, with the claims username, roles and exp. Not needed if GET /auth/mode reports that authentication is off.",
				},
			},
		},
	}, "", "  ")
	if err != nil {
		panic(fmt.Errorf("write the OpenAPI document: %w", err))
	}
	return append(out, '\n')
}

// require sets the required members of a schema.
func require(components map[string]any, schema string, members ...string) {
	object, ok := components[schema].(map[string]any)
	if !ok {
		panic(fmt.Sprintf("schemas.json has no %s", schema)) // a fault of the build, as above
	}
	object["required"] = append([]string{}, members...) // never null
}

// named returns the tag objects for names, in table order.
func named(tags []string) []map[string]string {
	out := make([]map[string]string, len(tags))
	for i, t := range tags {
		out[i] = map[string]string{"name": t}
	}
	return out
}

// operation returns a route's operation object.
func (r route) operation() map[string]any {
	op := map[string]any{
		"operationId": r.doc.id,
		"tags":        []string{r.doc.tag},
		"summary":     r.doc.summary,
		"responses":   r.responses(),
		"security":    []any{},
		"x-roles":     []string{},
	}
	if r.doc.description != "" {
		op["description"] = r.doc.description
	}
	if len(r.roles) > 0 {
		op["security"] = []any{map[string]any{"bearer": []string{}}}
		op["x-roles"] = r.roles
	}
	if r.doc.destructive {
		op["x-destructive"] = true
	}
	var parameters []any
	for _, p := range slices.Concat(r.doc.parameters, r.doc.retry.parameters()) {
		parameters = append(parameters, map[string]any{
			"name": p.name, "in": p.in, "description": p.description, "required": p.required || p.in == "path", "schema": p.schema,
		})
	}
	if parameters != nil {
		op["parameters"] = parameters
	}
	if len(r.doc.body) > 0 {
		op["requestBody"] = map[string]any{
			"required": !r.doc.optionalBody, "content": contents(r.doc.body),
			"description": fmt.Sprintf("At most %s, after decompression if the Content-Encoding is gzip or zstd.", service.BytesText(r.limit)),
		}
	}
	return op
}

// bounded reports whether the body's size is checked before the handler runs, as for
// every POST, even if the route reads no body.
func (r route) bounded() bool { return len(r.doc.body) > 0 || r.method == http.MethodPost }

func (r route) responses() map[string]any {
	out := map[string]any{}
	for _, a := range r.doc.responses {
		response := map[string]any{"description": a.description}
		if len(r.roles) > 0 {
			response["headers"] = map[string]any{front.GraphStoreHeader: map[string]any{"$ref": "#/components/headers/GraphStore"}}
		}
		if a.content != nil {
			response["content"] = contents(a.content)
		}
		out[strconv.Itoa(a.status)] = response
	}
	problems := append([]int{http.StatusInternalServerError, http.StatusMisdirectedRequest}, r.doc.problems...)
	if r.bounded() {
		problems = append(problems, http.StatusForbidden, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	}
	if r.doc.retry != "" { // a wrong key; a key used with another body
		problems = append(problems, http.StatusBadRequest, http.StatusUnprocessableEntity)
	}
	if len(r.doc.body) > 0 { // errors that any body can cause
		problems = append(problems, http.StatusBadRequest, http.StatusRequestTimeout, http.StatusServiceUnavailable, http.StatusInsufficientStorage)
	}
	if len(r.roles) > 0 {
		problems = append(problems, http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests)
	}
	for _, status := range problems {
		out[strconv.Itoa(status)] = map[string]any{
			"description": http.StatusText(status),
			"content":     contents([]content{{"application/problem+json", "Problem"}}),
		}
	}
	return out
}

func contents(list []content) map[string]any {
	out := map[string]any{}
	for _, c := range list {
		out[c.mediaType] = map[string]any{"schema": map[string]any{"$ref": "#/components/schemas/" + c.schema}}
	}
	return out
}
