import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useMemo, useState } from 'preact/hooks';
import { Location, type Place } from './location.js';
import { type Parameters, withQuery } from './match.js';

const LocationContext = createContext<Location | undefined>(undefined);
const PlaceContext = createContext<Place>({ path: '/', query: '', visit: 0 });
/** The path parameters of the screen that is shown. */
export const ParametersContext = createContext<Parameters>({});

/** Tells everything below where the browser is. */
export function NavigationProvider({ location, children }: { location: Location; children: ComponentChildren }) {
  const [place, setPlace] = useState(location.current);
  useEffect(() => location.subscribe(setPlace), [location]);
  return (
    <LocationContext.Provider value={location}>
      <PlaceContext.Provider value={place}>{children}</PlaceContext.Provider>
    </LocationContext.Provider>
  );
}

export const usePlace = (): Place => useContext(PlaceContext);

/** `go('/calls/1')` shows another screen; `{ replace: true }` leaves no entry to come back to. */
export function useNavigate(): Location['go'] {
  const location = useContext(LocationContext);
  return useMemo(() => (target, options) => location?.go(target, options), [location]);
}

/** A path parameter of this screen: `useParameter('id')`. */
export const useParameter = (name: string): string => useContext(ParametersContext)[name] ?? '';

/** A value that lives in the query of the address, so that a link shows the same. Setting it leaves no entry to come back to. */
export function useQueryState(name: string, initial = ''): [string, (value: string) => void] {
  const { query } = usePlace();
  const location = useContext(LocationContext);
  const value = new URLSearchParams(query).get(name) ?? initial;
  const set = useMemo(
    () => (next: string) => {
      if (!location) return;
      const { path, query: now } = location.current;
      location.go(path + withQuery(now, { [name]: next === initial ? undefined : next }), { replace: true });
    },
    [location, name, initial],
  );
  return [value, set];
}
