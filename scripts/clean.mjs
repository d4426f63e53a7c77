import { rmSync } from 'node:fs';

// A renamed source must not leave its old output behind in the package.
rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });
