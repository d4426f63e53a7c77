import { rmSync } from 'node:fs';

// The output of a renamed source must not stay in the package.
rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });
