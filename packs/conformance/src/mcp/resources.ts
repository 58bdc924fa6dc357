import { ResourceNotFoundError, type Server } from '@modelcontextprotocol/server';
import { IMAGE } from '../samples.js';

const TEMPLATE = /^test:\/\/template\/([^/]{1,200})\/data$/;

const listed = [
  { uri: 'test://static-text', name: 'static-text', title: 'Static text', description: 'A text for tests', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'static-binary', title: 'Static image', description: 'An image for tests', mimeType: 'image/png' },
  {
    uri: 'test://watched-resource',
    name: 'watched-resource',
    title: 'Watched resource',
    description: 'A text that clients may watch',
    mimeType: 'text/plain',
  },
];

const contents = (uri: string) => {
  const id = TEMPLATE.exec(uri)?.[1];
  if (id !== undefined)
    return { uri, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) };
  switch (uri) {
    case 'test://static-text':
      return { uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' };
    case 'test://static-binary':
      return { uri, mimeType: 'image/png', blob: IMAGE };
    case 'test://watched-resource':
      return { uri, mimeType: 'text/plain', text: 'Watched resource content' };
    default:
      throw new ResourceNotFoundError(uri);
  }
};

/** The resources of the suite. Subscriptions are accepted; nothing changes, so nothing is announced. */
export function serveResources(server: Server, era: 'legacy' | 'modern'): void {
  server.setRequestHandler('resources/list', () => ({ resources: listed }));
  server.setRequestHandler('resources/read', ({ params }) => ({ contents: [contents(params.uri)] }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      {
        uriTemplate: 'test://template/{id}/data',
        name: 'template',
        title: 'Resource template',
        description: 'A resource with a parameter',
        mimeType: 'application/json',
      },
    ],
  }));
  if (era === 'modern') return;
  server.setRequestHandler('resources/subscribe', () => ({}));
  server.setRequestHandler('resources/unsubscribe', () => ({}));
}
