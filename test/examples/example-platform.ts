import { EmbeddedPlatform } from '../journeys/embedded-platform.js';
import { Counterparty } from '../tools/counterparty/counterparty.js';
import { type Example, recordedExamples } from './recorded-examples.js';

/** Records the examples on a platform of its own. @throws where an operation has none, for no reason that is known */
export async function recordExamples(): Promise<Record<string, Example>> {
  const counterparty = await Counterparty.start();
  const env = { COUNTERSIGN_IDENTITY_ALLOW_PRIVATE: 'true', COUNTERSIGN_PROBE_URL: counterparty.url };
  const platform = await EmbeddedPlatform.start(env);
  try {
    const { examples, refused } = await recordedExamples(platform);
    if (refused.length > 0) throw new Error(`operations without an example:\n${refused.join('\n')}`);
    return examples;
  } finally {
    await platform.close();
    await counterparty.stop();
  }
}
