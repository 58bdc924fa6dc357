export { type GatewayConfig, parseGatewayConfig } from './config.js';
export { type RunningGateway, startGateway } from './start-gateway.js';
