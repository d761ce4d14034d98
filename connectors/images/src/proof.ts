/** Door "./proof": an engine asked through its socket, and the image that proves what its containers are held to. */
export { askEngine, type EngineAnswer, engineJson, progressOf } from './engine-api.ts';
export { type ImageConfig, type ImageTar, importImage } from './import-image.ts';
export { PROBE_STREAMS, probeImage } from './probe-image.ts';
export { tarFolder } from './tar-folder.ts';
