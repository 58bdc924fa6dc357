import type { BrowserContext } from 'playwright-core';
import type { Api } from '../journeys/api.js';
import { EmbeddedPlatform } from '../journeys/embedded-platform.js';
import { browser, type Theme, VIEWPORTS, type ViewportName } from './browser.js';
import { ObservedPage } from './observed-page.js';

export interface PageOptions {
  viewport?: ViewportName;
  theme?: Theme;
  /** The key of the person who is signed in; absent: nobody is. */
  key?: string;
  /** Addresses whose refusal the spec provokes. */
  expected?: RegExp;
}

/** A real platform with its console, and the browsers of the people who use it. */
export class ConsoleWorld {
  private readonly contexts: BrowserContext[] = [];

  private constructor(readonly platform: EmbeddedPlatform) {}

  static async start(env: Record<string, string> = {}): Promise<ConsoleWorld> {
    return new ConsoleWorld(await EmbeddedPlatform.start(env));
  }

  get admin(): Api {
    return this.platform.admin();
  }

  /** A page of a browser of its own: of a person who is signed in, or of nobody. */
  async page({ viewport = 'laptop', theme = 'light', key, expected }: PageOptions = {}): Promise<ObservedPage> {
    const context = await (await browser()).newContext({
      baseURL: this.platform.base,
      ...VIEWPORTS[viewport],
      colorScheme: theme,
      locale: 'en-GB',
      timezoneId: 'UTC',
      reducedMotion: 'reduce',
    });
    this.contexts.push(context);
    if (key !== undefined) await this.signIn(context, key);
    return ObservedPage.open(context, expected);
  }

  async close(): Promise<void> {
    await Promise.all(this.contexts.map((context) => context.close()));
    await this.platform.close();
  }

  private async signIn(context: BrowserContext, key: string): Promise<void> {
    const { base } = this.platform;
    const answer = await context.request.post('/v1/session', { data: { key }, headers: { origin: base } });
    if (answer.status() !== 200) throw new Error(`POST /v1/session answered ${answer.status()}: ${await answer.text()}`);
  }
}
