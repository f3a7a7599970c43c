// Prints the headers of a signed request: sign KEYFILE KEYID AUTHORITY PATH FILE > headers
// Build: c++ -std=c++17 sign.cpp -lcrypto -o sign
// Send:  curl -H @headers --data-binary @FILE http://AUTHORITY/PATH (without a query)
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <string>

std::string base64(const unsigned char *data, int size) {
    std::string out(4 * ((size + 2) / 3) + 1, '\0');
    out.resize(EVP_EncodeBlock(reinterpret_cast<unsigned char *>(&out[0]), data, size));
    return out;
}

int main(int argc, char **argv) {
    if (argc != 6) return std::cerr << "sign KEYFILE KEYID AUTHORITY PATH FILE\n", 2;
    std::ifstream file(argv[5], std::ios::binary);
    const std::string body((std::istreambuf_iterator<char>(file)), {});
    FILE *pem = std::fopen(argv[1], "r");
    EVP_PKEY *key = pem ? PEM_read_PrivateKey(pem, nullptr, nullptr, nullptr) : nullptr;
    if (!file || !key) return std::cerr << "the file or the key can't be read\n", 1;

    unsigned char hash[32], random[18], value[64];
    unsigned size = sizeof hash;
    EVP_Digest(body.data(), body.size(), hash, &size, EVP_sha256(), nullptr);
    RAND_bytes(random, sizeof random);
    const std::string digest = "sha-256=:" + base64(hash, 32) + ":", kind = "text/turtle";
    const std::string input = "(\"@method\" \"@authority\" \"@path\" \"@query\" \"content-type\" \"content-digest\");created=" +
        std::to_string(std::time(nullptr)) + ";keyid=\"" + argv[2] + "\";nonce=\"" + base64(random, 18) + "\";tag=\"segraph\"";
    const std::string base = "\"@method\": POST\n\"@authority\": " + std::string(argv[3]) + "\n\"@path\": " + argv[4] +
        "\n\"@query\": ?\n\"content-type\": " + kind + "\n\"content-digest\": " + digest + "\n\"@signature-params\": " + input;

    size_t length = sizeof value;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (EVP_DigestSignInit(context, nullptr, nullptr, nullptr, key) != 1 ||
        EVP_DigestSign(context, value, &length, reinterpret_cast<const unsigned char *>(base.data()), base.size()) != 1)
        return std::cerr << "the key can't sign; it must be an Ed25519 key\n", 1;
    std::cout << "Content-Type: " << kind << "\nContent-Digest: " << digest << "\nSignature-Input: sig=" << input
              << "\nSignature: sig=:" << base64(value, 64) << ":\n";
}
