# segraph in a container: one static program without root, on a file system where only /data is writable.
#
#   docker build -t segraph .                                                  # for this machine
#   docker buildx build --platform linux/amd64,linux/arm64 -t segraph .       # for both, without emulation
#
# The stage "dev" is for compose.dev.yaml and not part of the image.

FROM --platform=$BUILDPLATFORM golang:1.26.8-bookworm AS dev
RUN apt-get update \
 && apt-get install --yes --no-install-recommends nodejs npm \
 && rm -rf /var/lib/apt/lists/* \
 && go install github.com/air-verse/air@v1.61.7
WORKDIR /src
CMD ["air", "-c", ".air.toml"]

FROM --platform=$BUILDPLATFORM golang:1.26.8-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
# Generated pages, scripts and styles are in the repository, so only Go is needed.
ARG TARGETOS TARGETARCH
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -ldflags='-s -w' -o /out/segraph . \
 && mkdir /out/data

FROM scratch
# Certificates for a graph store at an https URL.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/segraph /segraph
# A new volume gets its owner from this folder.
COPY --from=build --chown=10001:10001 /out/data /data
USER 10001:10001
ENV SEGRAPH_DATA=/data/segraph.db
# Temporary files: there is no /tmp, and no other place to write with --read-only.
ENV TMPDIR=/data
VOLUME /data
EXPOSE 5000 8080
HEALTHCHECK --interval=30s --timeout=6s --start-period=60s --retries=3 CMD ["/segraph", "healthcheck"]
ENTRYPOINT ["/segraph"]
CMD ["serve"]
