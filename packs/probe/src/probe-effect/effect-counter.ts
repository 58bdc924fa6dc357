const PAD = 'x'.repeat(120);

/** The output of one counted effect, about 200 bytes. */
export interface CountedEffect {
  ok: true;
  seq: number;
  key: string;
  amount: number;
  receipt: string;
}

/** Counts effects in this process: the cheapest effect there is, so that a bench measures only the platform. */
class EffectCounter {
  private effects = 0;

  get count(): number {
    return this.effects;
  }

  add(key: string, amount: number): CountedEffect {
    return { ok: true, seq: ++this.effects, key, amount, receipt: PAD };
  }
}

/** The counter of this process. Tests read `count`; it is never reset. */
export const effectCounter = new EffectCounter();
