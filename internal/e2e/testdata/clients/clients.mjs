// Runs Comunica, fetch-sparql-endpoint and sparql-http-client against the service at the URL in the first argument.
//
// For each thing it does it writes a line: client, version, what was done, and the result, separated by tabs.
import { readFileSync } from 'node:fs'
import { QueryEngine } from '@comunica/query-sparql'
import { SparqlEndpointFetcher } from 'fetch-sparql-endpoint'
import { ParsingClient, SimpleClient, StreamClient } from 'sparql-http-client'

const api = process.argv[2]
const endpoint = api + '/query'
const SELECT = 'SELECT ?s ?text { ?s <http://e/text> ?text } ORDER BY ?text'
const ASK = 'ASK { <http://e/m1> <http://e/text> "Hello"@en }'
const CONSTRUCT = 'CONSTRUCT WHERE { ?s <http://e/text> ?text }'
const DESCRIBE = 'DESCRIBE <http://e/m1>'
const UPDATE = 'CLEAR ALL'

async function say (client, what, run) {
  const version = JSON.parse(readFileSync(new URL(`node_modules/${client}/package.json`, import.meta.url))).version
  let result
  try {
    result = await run()
  } catch (e) {
    result = e.message
  }
  console.log([client, version, what, String(result).replace(/\s+/g, ' ')].join('\t'))
}
const all = async stream => {
  const found = []
  for await (const item of stream) found.push(item)
  return found
}
const refused = async run => {
  try {
    await run()
  } catch (e) {
    return e.message.includes('POST /ttl adds triples') ? 'refused, with the reason' : 'refused: ' + e.message
  }
  return 'not refused'
}

const comunica = '@comunica/query-sparql'
const engine = new QueryEngine()
for (const [name, source] of [
  ['as sparql', { type: 'sparql', value: endpoint }], ['by the service description', endpoint],
  ['over /events', api + '/events'], ['over the default graph', api + '/rdf-graph-store?default']
]) {
  const sources = { sources: [source] }
  await say(comunica, 'SELECT ' + name, async () => (await (await engine.queryBindings(SELECT, sources)).toArray()).map(b => b.get('text').value))
  await say(comunica, 'ASK ' + name, () => engine.queryBoolean(ASK, sources))
  await say(comunica, 'CONSTRUCT ' + name, async () => (await (await engine.queryQuads(CONSTRUCT, sources)).toArray()).length)
}
await say(comunica, 'update', () => refused(() => engine.queryVoid('INSERT DATA { <http://e/x> <http://e/y> 1 }', { sources: [{ type: 'sparql', value: endpoint }], destination: { type: 'sparql', value: endpoint } })))

const fse = 'fetch-sparql-endpoint'
for (const method of ['GET', 'POST']) {
  const fetcher = new SparqlEndpointFetcher({ method })
  await say(fse, 'SELECT by ' + method, async () => (await all(await fetcher.fetchBindings(endpoint, SELECT))).map(b => b.text.value))
  await say(fse, 'ASK by ' + method, () => fetcher.fetchAsk(endpoint, ASK))
  await say(fse, 'CONSTRUCT by ' + method, async () => (await all(await fetcher.fetchTriples(endpoint, CONSTRUCT))).length)
  await say(fse, 'DESCRIBE by ' + method, async () => (await all(await fetcher.fetchTriples(endpoint, DESCRIBE))).length)
}
await say(fse, 'update', () => refused(() => new SparqlEndpointFetcher().fetchUpdate(endpoint, UPDATE)))

const shc = 'sparql-http-client'
const options = { endpointUrl: endpoint, updateUrl: endpoint, storeUrl: api + '/rdf-graph-store' }
for (const operation of ['get', 'postUrlencoded', 'postDirect']) {
  const client = new ParsingClient(options)
  await say(shc, 'SELECT by ' + operation, async () => (await client.query.select(SELECT, { operation })).map(row => row.text.value))
  await say(shc, 'ASK by ' + operation, () => client.query.ask(ASK, { operation }))
  await say(shc, 'CONSTRUCT by ' + operation, async () => (await client.query.construct(CONSTRUCT, { operation })).size)
}
const streams = new StreamClient(options)
await say(shc, 'SELECT as a stream', async () => (await all(streams.query.select(SELECT))).length)
await say(shc, 'CONSTRUCT as a stream', async () => (await all(streams.query.construct(CONSTRUCT))).length)
await say(shc, 'get the default graph', async () => (await all(streams.store.get(streams.factory.defaultGraph()))).length)
await say(shc, 'get the graph of contexts', async () => (await all(streams.store.get(streams.factory.namedNode('urn:segraph:contexts')))).length)
await say(shc, 'SimpleClient', async () => (await (await new SimpleClient(options).query.select(SELECT)).json()).results.bindings.length)
await say(shc, 'update', () => refused(() => new ParsingClient(options).query.update(UPDATE)))
