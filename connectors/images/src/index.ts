export { bundleProgram } from './bundle-program.ts';
export { bridgeContext, connectorContext, connectorFolder, type ImageFacts, programContext } from './image-context.ts';
export { nodeRoot, placeProgram } from './node-root.ts';
export { platformContext } from './platform-context.ts';
