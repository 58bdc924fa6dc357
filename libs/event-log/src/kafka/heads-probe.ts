import { BrokerLink } from './broker-link.js';
import type { KafkaSettings } from './kafka-options.js';
import type { ProbeHeads } from './stall-guard.js';

/** Uses a separate client for each query: a fault of a reader's client does not affect it. */
export function headsProbe(settings: KafkaSettings): ProbeHeads {
  return async (positions) => {
    const link = new BrokerLink(settings, 'stall-probe');
    try {
      return await link.heads(positions);
    } finally {
      void link.close();
    }
  };
}
