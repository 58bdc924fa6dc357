import { proposeWrite } from './propose-write.js';

export const write = [proposeWrite];
