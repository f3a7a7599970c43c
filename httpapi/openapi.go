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

	retry retry   // whether a request that is sent again gets the first answer
	signs signing // which signed requests are accepted

	refused string // why other methods are refused, and what to do

	destructive bool // pages ask for confirmation first

	links []link // what the answer on success leads to
}

// link says that a member of an answer, named by a JSON pointer, is a parameter of another
// operation.
type link struct{ operation, parameter, pointer string }

// signing says what the signature of a signed request covers.
type signing int

const (
	unsigned   signing = iota // nothing: signatures are ignored
	signedBody                // the whole body
	signedList                // a list in the first line of the body, of what the other lines have
)

// retry says what makes a request a repeated one.
type retry string

const (
	byKey     retry = "key"       // the header Idempotency-Key
	byKeyOrID retry = "key or id" // or else the header X-Request-ID
)

func (t retry) parameters() (list []parameter) {
	if t != "" {
		list = append(list, parameter{name: front.KeyHeader, in: "header", schema: ref("IdempotencyKey"),
			description: "If the request is sent again with this key, it gets the first answer, and nothing is done twice. With another body, the answer is 422."})
	}
	if t == byKeyOrID {
		list = append(list, parameter{name: "X-Request-ID", in: "header", schema: anyText,
			description: "Without an Idempotency-Key: if the request is sent again with the same id and body, and was successful, it gets the first answer."})
	}
	return list
}

type parameter struct {
	name, in, description string
	schema                map[string]any
	required              bool // path parameters always are
}

// anyText is the schema of any text.
var anyText = map[string]any{"type": "string"}

// integer returns the schema of an integer from least to most, with a default.
func integer(least, most, missing int) map[string]any {
	return map[string]any{"type": "integer", "minimum": least, "maximum": most, "default": missing}
}

// ref returns a schema that refers to one of schemas.json.
func ref(name string) map[string]any { return map[string]any{"$ref": "#/components/schemas/" + name} }

// content is a media type and the name of its schema.
type content struct{ mediaType, schema string }

type answer struct {
	status      int
	description string
	content     []content
}

// document returns the OpenAPI 3.1 document of the routes. It demands tokens only if they
// are needed; segb is Config.SEGB.
func document(routes []route, version string, tokens, segb bool) []byte {
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
		paths[r.path][strings.ToLower(r.method)] = r.operation(tokens)
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
			"headers": map[string]any{requestID: map[string]any{
				"description": "The request's own id, if it has one of 1 to 64 letters, digits and ._-, or a new one. The server's log has it.",
				"required":    true,
				"schema":      map[string]any{"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"},
			}, "GraphStore": map[string]any{
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

// operation returns a route's operation object. tokens says that the service asks for tokens.
func (r route) operation(tokens bool) map[string]any {
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
	if r.doc.signs == signedBody {
		op["description"] = r.doc.description + " " + signable
	}
	if len(r.roles) > 0 {
		op["x-roles"] = r.roles
		if tokens {
			op["security"] = []any{map[string]any{"bearer": []string{}}}
		}
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
// every POST and DELETE, even if the route reads no body.
func (r route) bounded() bool {
	return len(r.doc.body) > 0 || r.method == http.MethodPost || r.method == http.MethodDelete
}

// responses returns the responses of a route by status: those that it names, and the problems that its kind can have.
func (r route) responses() map[string]any {
	out := map[string]any{}
	for _, a := range r.doc.responses {
		headers := map[string]any{requestID: header(requestID)}
		if len(r.roles) > 0 {
			headers[front.GraphStoreHeader] = header("GraphStore")
		}
		response := map[string]any{"description": a.description, "headers": headers}
		if a.content != nil {
			response["content"] = contents(a.content)
		}
		out[strconv.Itoa(a.status)] = response
	}
	if len(r.doc.links) > 0 {
		out[strconv.Itoa(r.doc.responses[0].status)].(map[string]any)["links"] = r.doc.targets()
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
			"headers":     map[string]any{requestID: header(requestID)},
			"content":     contents([]content{{"application/problem+json", "Problem"}}),
		}
	}
	return out
}

// requestID is the header that every answer has.
const requestID = "X-Request-ID"

// header returns a reference to a header of the document.
func header(name string) map[string]any {
	return map[string]any{"$ref": "#/components/headers/" + name}
}

// targets returns the link objects of an answer, by the operation that each leads to.
func (o operation) targets() map[string]any {
	out := map[string]any{}
	for _, l := range o.links {
		out[l.operation] = map[string]any{"operationId": l.operation, "parameters": map[string]any{l.parameter: "$response.body#" + l.pointer}}
	}
	return out
}

func contents(list []content) map[string]any {
	out := map[string]any{}
	for _, c := range list {
		out[c.mediaType] = map[string]any{"schema": ref(c.schema)}
	}
	return out
}
