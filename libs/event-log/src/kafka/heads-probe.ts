import { BrokerLink } from './broker-link.js';
import type { KafkaSettings } from './kafka-options.js';
import type { ProbeHeads } from './stall-guard.js';

/** Asks through a client of its own, each time: what is wrong with a reader's client is not wrong with this one. */
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
