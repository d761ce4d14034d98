#!/usr/bin/env node
import { launch } from './launch.mjs';

launch('cli/src/main.ts', process.argv.slice(2));
