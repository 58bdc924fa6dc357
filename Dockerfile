# One image, four commands (docker-compose.yml). Built from the lockfile; no install scripts run.
FROM node:20-bookworm-slim AS build
WORKDIR /countersign
COPY . .
RUN npm ci --ignore-scripts && npx tsc -b && npm prune --omit=dev --ignore-scripts

FROM node:20-bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends git ca-certificates && rm -rf /var/lib/apt/lists/* \
  && mkdir -p /data/blobs /data/audit /workspace /records && chown -R node:node /data /workspace /records
WORKDIR /countersign
COPY --from=build --chown=root:root /countersign .
USER node
ENV NODE_ENV=production COUNTERSIGN_DATA_DIR=/data
EXPOSE 7070
# The same as `npm start`.
CMD ["node", "--max-old-space-size=1024", "--max-semi-space-size=64", "apps/standalone/dist/main.js"]
