import type { ComponentType } from 'preact';
import { useEffect, useErrorBoundary, useState } from 'preact/hooks';
import { Screen } from '../elements/screen.js';
import { EmptyState, Skeleton } from '../elements/states.js';
import { useGateway, useReachable } from '../gateway/context.js';
import { Link } from '../navigation/link.js';
import { matchPath } from '../navigation/match.js';
import { ParametersContext, usePlace } from '../navigation/navigation.js';
import { BrokenScreen } from './broken-screen.js';
import { SCREENS, type ScreenEntry } from './screens.js';

/** The screen of the present path. */
export function ScreenSwitch() {
  const { path, visit } = usePlace();
  for (const entry of SCREENS) {
    const parameters = matchPath(entry.path, path);
    if (!parameters) continue;
    return (
      <ParametersContext.Provider value={parameters}>
        <LoadedScreen key={entry.screen ?? `${entry.path} ${visit}`} entry={entry} />
      </ParametersContext.Provider>
    );
  }
  return <UnknownScreen path={path} />;
}

/** Screens that have been loaded, so that a second visit shows at once. */
const loaded = new Map<string, ComponentType>();

function LoadedScreen({ entry }: { entry: ScreenEntry }) {
  const [component, setComponent] = useState<ComponentType | undefined>(() => loaded.get(entry.path));
  const [load_fault, setLoadFault] = useState<unknown>();
  const [fault, reset] = useErrorBoundary();
  const { reachability } = useGateway();
  useEffect(() => {
    if (component) return;
    const failed = async (cause: unknown) => {
      await reachability.check();
      setLoadFault(cause);
    };
    entry.load().then((module) => {
      loaded.set(entry.path, module.default);
      setComponent(() => module.default);
    }, failed);
  }, [entry, component, reachability]);
  const is_reachable = useReachable();
  const [was_cut, setCut] = useState(false);
  useEffect(() => {
    if (load_fault === undefined) return;
    // the browser remembers which files it could not load: only a new page asks for them again
    if (is_reachable && was_cut) window.location.reload();
    if (!is_reachable) setCut(true);
  }, [load_fault, is_reachable, was_cut]);
  if (load_fault && (was_cut || !is_reachable)) return <OfflineScreen title={entry.title} />;
  if (fault ?? load_fault) return <BrokenScreen fault={fault ?? load_fault} is_load={fault === undefined} retry={reset} />;
  if (!component) return <LoadingScreen title={entry.title} />;
  const Component = component;
  return <Component />;
}

function LoadingScreen({ title }: { title: string }) {
  return (
    <Screen title={title}>
      <Skeleton lines={6} />
    </Screen>
  );
}

function OfflineScreen({ title }: { title: string }) {
  return (
    <Screen title={title}>
      <EmptyState icon="warning" title="No connection">
        <p>This page was not opened before. It opens by itself as soon as the gateway answers.</p>
      </EmptyState>
    </Screen>
  );
}

function UnknownScreen({ path }: { path: string }) {
  return (
    <Screen title="Page not found">
      <EmptyState title="There is no such page">
        <p>
          The console has no page at <code>{path.slice(0, 120)}</code>. The link may be incomplete.
        </p>
        <p>
          <Link href="/">Go to the home page</Link>
        </p>
      </EmptyState>
    </Screen>
  );
}
