import type { ComponentChildren } from 'preact';
import { Logo } from '../elements/logo.js';
import type { Session } from '../gateway/session.js';
import { Link } from '../navigation/link.js';
import { AccountMenu } from './account-menu.js';
import { BottomBar } from './bottom-bar.js';
import { KeysDialog } from './keys-dialog.js';
import { NavigationList } from './navigation-list.js';
import { UnreachableBanner } from './unreachable-banner.js';
import './frame.css';

/** What stands around every screen: navigation at the side or, on a phone, at the bottom. */
export function Frame({ session, children }: { session: Session; children: ComponentChildren }) {
  return (
    <div class="frame">
      <a class="skip-link" href="#main">
        Skip to the content
      </a>
      <div class="frame-side">
        <Link href="/" class="frame-logo" aria-label="Countersign, home">
          <Logo />
        </Link>
        <NavigationList session={session} />
        <AccountMenu session={session} />
      </div>
      <main id="main" class="frame-main" tabIndex={-1}>
        <UnreachableBanner />
        {children}
      </main>
      <BottomBar session={session} />
      <KeysDialog />
    </div>
  );
}
