import { render } from 'preact';
import { App } from './app/app.js';
import { applyTheme, chosenTheme, watchTheme } from './app/theme.js';
import { Gateway } from './gateway/gateway.js';
import { Location } from './navigation/location.js';
import './elements/tokens.css';
import './elements/base.css';
import './elements/fields.css';

applyTheme(chosenTheme());
watchTheme();
const gateway = new Gateway(window.location.origin);
gateway.queries.mount();
render(<App gateway={gateway} location={new Location(window)} />, document.getElementById('console') as HTMLElement);
