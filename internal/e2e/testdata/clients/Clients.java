import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.concurrent.Callable;
import org.apache.jena.rdfconnection.RDFConnection;
import org.apache.jena.rdfconnection.RDFConnectionRemote;
import org.eclipse.rdf4j.query.QueryResults;
import org.eclipse.rdf4j.repository.RepositoryConnection;
import org.eclipse.rdf4j.repository.sparql.SPARQLRepository;

/**
 * Runs Jena and RDF4J against the service at the URL in the first argument. For each thing it does it writes a line:
 * client, version, what was done, and the result, separated by tabs.
 */
public class Clients {
    static final String SELECT = "SELECT ?s ?text { ?s <http://e/text> ?text } ORDER BY ?text";
    static final String ASK = "ASK { <http://e/m1> <http://e/text> 'Hello'@en }";
    static final String CONSTRUCT = "CONSTRUCT WHERE { ?s <http://e/text> ?text }";
    static final String DESCRIBE = "DESCRIBE <http://e/m1>";
    static final PrintStream out = System.out;

    static void say(String client, String version, String what, Callable<?> run) {
        String result;
        try {
            result = String.valueOf(run.call());
        } catch (Throwable e) {
            result = e.toString();
        }
        out.println(String.join("\t", client, version, what, result.strip().replaceAll("\\s+", " ")));
    }

    static String refused(Runnable run) {
        try {
            run.run();
        } catch (RuntimeException e) {
            String text = "";
            for (Throwable t = e; t != null; t = t.getCause()) {
                text += t;
                if (t instanceof org.apache.jena.atlas.web.HttpException) {
                    text += ((org.apache.jena.atlas.web.HttpException) t).getResponse();
                }
            }
            return text.contains("POST /ttl adds triples") ? "refused, with the reason" : "refused: " + text;
        }
        return "not refused";
    }

    /** What rsparql, the command, prints. */
    static String rsparql(String... args) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        System.setOut(new PrintStream(text, true));
        try {
            new arq.rsparql(args).mainRun(false, false);
        } finally {
            System.out.flush();
            System.setOut(out);
        }
        return text.toString();
    }

    static void jena(String api) {
        String version = org.apache.jena.Jena.VERSION, endpoint = api + "/query";
        say("Jena rsparql", version, "SELECT", () -> rsparql("--service=" + endpoint, "--results=CSV", SELECT));
        say("Jena rsparql", version, "ASK", () -> rsparql("--service=" + endpoint, ASK));
        say("Jena rsparql", version, "CONSTRUCT", () -> rsparql("--service=" + endpoint, "--results=N-Triples", CONSTRUCT).lines().count());
        say("Jena rsparql", version, "DESCRIBE", () -> rsparql("--service=" + endpoint, "--results=N-Triples", DESCRIBE).lines().count());
        try (RDFConnection c = RDFConnectionRemote.newBuilder().destination(api).queryEndpoint("query").updateEndpoint("query").gspEndpoint("rdf-graph-store").build()) {
            say("Jena RDFConnection", version, "SELECT", () -> {
                StringBuilder texts = new StringBuilder();
                c.querySelect(SELECT, row -> texts.append(row.getLiteral("text")).append(' '));
                return texts;
            });
            say("Jena RDFConnection", version, "ASK", () -> c.queryAsk(ASK));
            say("Jena RDFConnection", version, "CONSTRUCT", () -> c.queryConstruct(CONSTRUCT).size());
            say("Jena RDFConnection", version, "DESCRIBE", () -> c.queryDescribe(DESCRIBE).size());
            say("Jena RDFConnection", version, "fetch()", () -> c.fetch().size());
            say("Jena RDFConnection", version, "fetch(contexts)", () -> c.fetch("urn:segraph:contexts").size());
            say("Jena RDFConnection", version, "fetch(unknown)", () -> c.fetch("http://e/none").size());
            say("Jena RDFConnection", version, "update", () -> refused(() -> c.update("CLEAR ALL")));
            say("Jena RDFConnection", version, "put", () -> refused(() -> c.put(c.fetch())));
        }
    }

    static void rdf4j(String api) {
        String name = "RDF4J SPARQLRepository", version = SPARQLRepository.class.getPackage().getImplementationVersion();
        SPARQLRepository repository = new SPARQLRepository(api + "/query");
        try (RepositoryConnection c = repository.getConnection()) {
            say(name, version, "SELECT", () -> c.prepareTupleQuery(SELECT).evaluate().stream().map(row -> row.getValue("text").toString()).toList());
            say(name, version, "ASK", () -> c.prepareBooleanQuery(ASK).evaluate());
            say(name, version, "CONSTRUCT", () -> QueryResults.asModel(c.prepareGraphQuery(CONSTRUCT).evaluate()).size());
            say(name, version, "DESCRIBE", () -> QueryResults.asModel(c.prepareGraphQuery(DESCRIBE).evaluate()).size());
            say(name, version, "getStatements()", () -> QueryResults.asModel(c.getStatements(null, null, null)).size());
            say(name, version, "getContextIDs()", () -> QueryResults.asList(c.getContextIDs()));
            say(name, version, "size()", () -> c.size());
            say(name, version, "isEmpty()", () -> c.isEmpty());
            say(name, version, "update", () -> refused(() -> c.prepareUpdate("CLEAR ALL").execute()));
        } finally {
            repository.shutDown();
        }
    }

    public static void main(String[] args) {
        jena(args[0]);
        rdf4j(args[0]);
    }
}
