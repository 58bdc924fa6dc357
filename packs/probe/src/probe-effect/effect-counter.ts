const PAD = 'x'.repeat(120);

/** What one counted effect answers, about 200 bytes. */
export interface CountedEffect {
  ok: true;
  seq: number;
  key: string;
  amount: number;
  receipt: string;
}

/** Counts effects in this process: the cheapest effect there is, so that what a bench measures is the platform. */
class EffectCounter {
  private effects = 0;

  get count(): number {
    return this.effects;
  }

  add(key: string, amount: number): CountedEffect {
    return { ok: true, seq: ++this.effects, key, amount, receipt: PAD };
  }
}

/** The counter of this process. Tests read `count`; nothing resets it. */
export const effectCounter = new EffectCounter();
