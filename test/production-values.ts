/** What staging and production ask for and no test platform has: a release, its image, and an issuer with TLS. */
export const PRODUCTION_VALUES = {
  WEIR_RELEASE_SHA: '0123456789abcdef0123456789abcdef01234567',
  WEIR_IMAGE_DIGEST: `sha256:${'0123456789abcdef'.repeat(4)}`,
  IDP_ISSUER: 'https://id.example.com',
} as const;
