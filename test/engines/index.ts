export type { Daemon } from './daemon.ts';
export type { Engine, EngineKind } from './engine.ts';
export { askEngine, type EngineAnswer, engineJson, progressOf } from './engine-api.ts';
export type { ImageConfig, ImageTar } from './import-image.ts';
export { connectorImage, type ProgramImage, programImage } from './node-images.ts';
export { type EngineUser, MachineUnfit } from './packages.ts';
export { startRootful } from './start-rootful.ts';
export { type OwnEngine, startRootless } from './start-rootless.ts';
export { ENGINE_VARIABLES, NO_ENGINES_VARIABLE, ownEngine, testEngine } from './test-engine.ts';
