// robot.cpp reports a sentence that a robot heard. It needs the program curl.
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>

int main() {
  using namespace std::chrono;
  const long long ms = duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
  const std::time_t seconds = ms / 1000;
  char time[32], fraction[8];
  std::strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%S", std::gmtime(&seconds));
  std::snprintf(fraction, sizeof fraction, ".%03dZ", int(ms % 1000));
  const std::string now = std::string(time) + fraction, heard = "https://example.org/rio/heard-" + std::to_string(ms);

  const std::string log = R"(
    @prefix oro: <http://kb.openrobots.org#> . @prefix prov: <http://www.w3.org/ns/prov#> .
    @prefix schema: <http://schema.org/> . @prefix segb: <http://www.gsi.upm.es/ontologies/segb/ns#> .
    @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
    <https://example.org/robot/rio> a oro:Robot ; schema:name "Rio" .
    <https://example.org/human/ana> a oro:Human ; schema:name "Ana" .
    <)" + heard + R"(> a oro:ListeningEvent, segb:LoggedActivity ;
        segb:wasPerformedBy <https://example.org/robot/rio> ; prov:startedAtTime ")" + now + R"("^^xsd:dateTime .
    <)" + heard + R"(-message> a schema:Message ; schema:text "Good morning, Rio!"@en ;
        schema:sender <https://example.org/human/ana> ; prov:wasGeneratedBy <)" + heard + R"(> .
)";
  FILE *curl = popen("curl --fail-with-body --silent --show-error '@API@/ttl?user=rio'"
                     " ${TOKEN:+-H \"Authorization: Bearer $TOKEN\"}"
                     " -H 'Content-Type: text/turtle' --data-binary @-", "w");
  if (!curl) return 1;
  std::fputs(log.c_str(), curl);
  return pclose(curl) == 0 ? 0 : 1;
}
