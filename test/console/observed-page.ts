import type { BrowserContext, Page } from 'playwright-core';

declare global {
  interface Window {
    countersign_violations?: string[];
  }
}

/** Runs in the page before its own scripts. */
function observe(): void {
  window.countersign_violations = [];
  document.addEventListener('securitypolicyviolation', (event) => {
    window.countersign_violations?.push(
      `${event.effectiveDirective} blocked ${event.blockedURI} (${event.sourceFile}:${event.lineNumber}) ${event.sample}`,
    );
  });
}

/** What the browser says of a refused request; the specs that provoke refusals name their addresses. */
const FAILED_REQUEST = /Failed to load resource/;

/** A page whose faults are kept: uncaught errors, errors on its console, violations of its policy. */
export class ObservedPage {
  private readonly errors: string[] = [];

  private constructor(
    readonly page: Page,
    private readonly expected: RegExp,
  ) {
    page.on('pageerror', (error) => this.errors.push(`uncaught: ${error.stack ?? error.message}`));
    page.on('console', (message) => {
      const { url } = message.location();
      if (message.type() !== 'error' || (FAILED_REQUEST.test(message.text()) && this.expected.test(url))) return;
      this.errors.push(`console: ${message.text()} ${url}`);
    });
  }

  /** @param expected addresses whose refusal the spec provokes */
  static async open(context: BrowserContext, expected = /$^/): Promise<ObservedPage> {
    const page = await context.newPage();
    await page.addInitScript(observe);
    return new ObservedPage(page, expected);
  }

  /** All faults so far. */
  async faults(): Promise<string[]> {
    const violations = await this.page.evaluate(() => window.countersign_violations ?? []);
    return [...this.errors, ...violations.map((text) => `policy: ${text}`)];
  }
}
