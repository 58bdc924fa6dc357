/** How the server names itself. */
export const SERVER_INFO = { name: 'countersign', title: 'Countersign', version: '0.1.0' };
