import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { HandedFilesContext } from './handed-files.ts';

/** Above every page: files outlive the way from the page on which they were dropped. */
export function HandedFilesProvider({ children }: { children: ReactNode }) {
  const [files, setFiles] = useState<readonly File[]>([]);
  const navigate = useNavigate();
  const value = useMemo(
    () => ({
      files,
      hand(given: readonly File[]) {
        setFiles(given);
        if (given.length > 0) void navigate({ to: '/sources/load' });
      },
    }),
    [files, navigate],
  );
  const { hand } = value;
  useEffect(() => {
    const isFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') === true;
    // Without this a browser leaves the page for a file that is dropped beside the place for it.
    const over = (event: DragEvent) => isFiles(event) && event.preventDefault();
    const drop = (event: DragEvent) => {
      if (!isFiles(event) || event.defaultPrevented) return;
      event.preventDefault();
      hand([...(event.dataTransfer?.files ?? [])]);
    };
    window.addEventListener('dragover', over);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', over);
      window.removeEventListener('drop', drop);
    };
  }, [hand]);
  return <HandedFilesContext value={value}>{children}</HandedFilesContext>;
}
