import { type Check, judge } from './check.ts';
import { listFiles, readTexts } from './files.ts';

const MAX_LINES = 400;
/** ADR 11. */
const MAX_KERNEL_LINES = 6_000;
const MAX_DOORS = 4;

async function lineCounts(root: string, ...patterns: string[]): Promise<[file: string, lines: number][]> {
  const texts = await readTexts(root, await listFiles(root, ...patterns));
  return texts.map(([file, text]) => [file, text.split('\n').length - 1]);
}

/** How large a file, the kernel and the surface of a package may grow. */
export const sizes = (root: string): Check[] => [
  {
    name: 'file sizes',
    async look() {
      const counts = await lineCounts(root, '*.ts', '*.tsx', '*.mjs', '*.py');
      const long = counts.filter(([, lines]) => lines > MAX_LINES);
      return judge(
        long.map(([file, lines]) => `${file}: ${lines} lines`),
        `${counts.length} files, at most ${MAX_LINES} lines each`,
      );
    },
  },
  {
    name: 'kernel size',
    async look() {
      const counts = await lineCounts(root, 'kernel/src/*', ':!kernel/src/testing*');
      const lines = counts.reduce((sum, [, count]) => sum + count, 0);
      const fault = `kernel/src has ${lines} lines, at most ${MAX_KERNEL_LINES}`;
      return judge(lines > MAX_KERNEL_LINES ? [fault] : [], `${lines} of ${MAX_KERNEL_LINES} lines`);
    },
  },
  {
    name: 'doors',
    async look() {
      const packages = await readTexts(root, await listFiles(root, '*/package.json'));
      const faults = packages.flatMap(([file, text]) => {
        const { exports = {} } = JSON.parse(text) as { exports?: object };
        const doors = Object.keys(exports).filter((door) => door !== './examples').length;
        return doors > MAX_DOORS ? [`${file} opens ${doors} doors, at most ${MAX_DOORS}`] : [];
      });
      return judge(faults, `${packages.length} packages`);
    },
  },
];
