export type { ImageConfig, ImageTar } from '@weir/connector-images/proof';
export { askEngine, type EngineAnswer, engineJson, progressOf } from '@weir/connector-images/proof';
export type { Daemon } from './daemon.ts';
export type { Engine, EngineKind } from './engine.ts';
export { connectorImage, type ProgramImage, programImage } from './node-images.ts';
export { type EngineUser, MachineUnfit } from './packages.ts';
export { startRootful } from './start-rootful.ts';
export { type OwnEngine, startRootless } from './start-rootless.ts';
export { ENGINE_VARIABLES, NO_ENGINES_VARIABLE, ownEngine, testEngine } from './test-engine.ts';
