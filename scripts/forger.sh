#!/usr/bin/env bash
# forger.sh libraries | product | kafka: the toolbox of test/forger at full size. 2,000 seeded attacks on log, tiles, signer and witness and 1,000 honest runs (crashes,
# rebuilds, drops, erasures); 100 attacks on the data folder of a real installation and 20 honest ones; 20 attacks on the files of a stopped Kafka broker.
#   COUNTERSIGN_TEST_FORGER_FIRST   first seed (default 0), to go on where a run was ended
#   COUNTERSIGN_TEST_FORGER_SEEDS, _RUNS (libraries), _PRODUCT, _HONEST (product), _KAFKA (kafka)   sizes; without them `npm run test:slow` runs few of each
set -euo pipefail
cd "$(dirname "$0")/.."
export COUNTERSIGN_TEST_SLOW=1
case ${1:-} in
  libraries)
    # 17 classes, each against the signer, a witness and `verify --since`
    export COUNTERSIGN_TEST_FORGER_SEEDS=${COUNTERSIGN_TEST_FORGER_SEEDS:-118} COUNTERSIGN_TEST_FORGER_RUNS=${COUNTERSIGN_TEST_FORGER_RUNS:-1000}
    exec npx vitest run --project pure --project parts --project slow forger/forger forger/server forger/honest-installation ;;
  product)
    export COUNTERSIGN_TEST_FORGER_PRODUCT=${COUNTERSIGN_TEST_FORGER_PRODUCT:-100} COUNTERSIGN_TEST_FORGER_HONEST=${COUNTERSIGN_TEST_FORGER_HONEST:-20}
    exec npx vitest run --project slow forger/product ;;
  kafka)
    export COUNTERSIGN_TEST_FORGER_KAFKA=${COUNTERSIGN_TEST_FORGER_KAFKA:-20}
    exec bash scripts/real/test-real.sh forger/kafka ;;
  *) echo "usage: forger.sh libraries | product | kafka" >&2; exit 1 ;;
esac
