export declare const BUNDLES: string;
export declare const LIST: string;
export declare function stampOf(file: string): string | undefined;
export declare function bundleOf(root: string, program: string): string | undefined;

/** What `LIST` holds. */
export interface BundleList {
  /** Paths from the root with their stamps. */
  readonly files: readonly (readonly [string, string])[];
  readonly programs: Readonly<Record<string, { readonly bundle: string; readonly inputs: readonly number[] }>>;
}
