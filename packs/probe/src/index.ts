import type { Pack } from '@countersign/tool-kit';
import { probeApproval } from './probe-approval/probe-approval.js';
import { probeEffect } from './probe-effect/probe-effect.js';
import { probeErp } from './probe-erp/probe-erp.js';
import { probeFail } from './probe-fail/probe-fail.js';
import { probeHttpBlind } from './probe-http-blind/probe-http-blind.js';
import { probeHttpEffect } from './probe-http-effect/probe-http-effect.js';
import { probeHttpKeyed } from './probe-http-keyed/probe-http-keyed.js';
import { probeMarked } from './probe-marked/probe-marked.js';
import { probeNamedEffect } from './probe-named-effect/probe-named-effect.js';
import { probeRead } from './probe-read/probe-read.js';
import { probeReport } from './probe-report/probe-report.js';
import { probeSecret } from './probe-secret/probe-secret.js';
import { probeSlow } from './probe-slow/probe-slow.js';
import { probeToken } from './probe-token/probe-token.js';

/** Tools for tests, benches and first trials; the HTTP ones act on the counterparty at COUNTERSIGN_PROBE_URL. */
export const pack: Pack = {
  name: 'probe',
  settings: { COUNTERSIGN_PROBE_URL: undefined },
  tools: [
    probeApproval,
    probeEffect,
    probeErp,
    probeFail,
    probeHttpBlind,
    probeHttpEffect,
    probeHttpKeyed,
    probeMarked,
    probeNamedEffect,
    probeRead,
    probeReport,
    probeSecret,
    probeSlow,
    probeToken,
  ],
};
