# One image, five commands (docker-compose.yml); its own is the whole platform in one process, as `npm start` has it:
# docker run -p 127.0.0.1:7070:7070 -v countersign:/data -v workspace:/workspace -v records:/records <image>
# Built from the lockfile; no install scripts run.
FROM node:20-bookworm-slim AS build
WORKDIR /countersign
COPY . .
RUN npm ci --ignore-scripts && npx tsc -b && node scripts/console.mjs && npm prune --omit=dev --ignore-scripts

FROM node:20-bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends bubblewrap git ca-certificates && rm -rf /var/lib/apt/lists/* \
  && mkdir -p /data/blobs /data/audit /workspace /records && chown -R node:node /data /workspace /records
WORKDIR /countersign
COPY --from=build --chown=root:root /countersign .
USER node
# All that is written lies outside of the code, which is root's; who publishes another port says so in COUNTERSIGN_PUBLIC_URL.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 COUNTERSIGN_DATA_DIR=/data COUNTERSIGN_WORKSPACE_ROOT=/workspace COUNTERSIGN_RECORDS_ROOT=/records \
  COUNTERSIGN_DEMO_ROOT=/data/demo \
  COUNTERSIGN_HOST=0.0.0.0 COUNTERSIGN_PORT=7070 COUNTERSIGN_PUBLIC_URL=http://127.0.0.1:7070
EXPOSE 7070
CMD ["node", "--max-old-space-size=1024", "--max-semi-space-size=64", "apps/standalone/dist/main.js"]
