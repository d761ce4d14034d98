import { createContext, use } from 'react';

/** Files that were dropped or chosen on another page, on their way to the page that loads them. */
export interface HandedFiles {
  files: readonly File[];
  /** Keeps the files and opens the page that loads them. */
  hand(files: readonly File[]): void;
}

export const HandedFilesContext = createContext<HandedFiles>({ files: [], hand: () => undefined });

export const useHandedFiles = (): HandedFiles => use(HandedFilesContext);
