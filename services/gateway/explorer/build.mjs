// Bundles the explorer into src/circolo_gateway/graphiql, with the licences of everything that is in it.
import { build } from 'esbuild';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const out = process.argv[2] ?? '../src/circolo_gateway/graphiql';
const { metafile } = await build({
  entryPoints: { explorer: 'explorer.jsx' },
  outdir: out,
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2021',
  jsx: 'automatic',
  legalComments: 'none',
  metafile: true,
  define: { 'process.env.NODE_ENV': '"production"' },
});

// GraphiQL's stylesheet carries its fonts in it, 250 KB; the visitor's own will do.
const css = join(out, 'explorer.css');
writeFileSync(css, readFileSync(css, 'utf8').replace(/@font-face\s*\{[^}]*\}/g, ''));

const packages = new Set();
for (const input of Object.keys(metafile.inputs)) {
  const match = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
  if (match) packages.add(match[1]);
}
const texts = [...packages].sort().map((folder) => {
  const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const licence = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  const text = licence && existsSync(join(folder, licence)) ? readFileSync(join(folder, licence), 'utf8').trim() : `${about.license}`;
  return `${about.name} ${about.version} (${about.license})\n\n${text}\n`;
});
writeFileSync(join(out, 'explorer.licences.txt'), texts.join('\n----------------------------------------\n\n'));
