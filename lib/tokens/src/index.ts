export { type KeySetOptions, KeysUnavailable, providerKeys } from './keys.ts';
export { rememberTokens } from './remember-tokens.ts';
export { type TokenSettings, TokenSettingsError, tokenRules } from './token-rules.ts';
export { type TokenPrincipal, type TokenRules, type TokenVerdict, verifyToken } from './verify-token.ts';
