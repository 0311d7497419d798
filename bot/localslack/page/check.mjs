// Tells whether the built page in ../static belongs to the source here.
//   node check.mjs            compares the digest of the source with ../static/SOURCE.sha256
//   node check.mjs --write    writes that digest and the notices (the last step of a build)
//   node check.mjs --rebuild  builds into a temporary directory as well and compares every byte
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
const STATIC = join(HERE, "..", "static");
const DIGEST = "SOURCE.sha256";
const NOTICES = "NOTICES.txt";
const LEFT_OUT = new Set(["node_modules", ".vite"]);
const BUNDLED = ["react", "react-dom", "scheduler", "marked", "gemoji", "@fontsource/lato"];

function files(root, folder = root) {
  return readdirSync(folder)
    .filter((name) => !LEFT_OUT.has(name))
    .flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory() ? files(root, path) : [relative(root, path).split(sep).join("/")];
    })
    .sort();
}

// The same sum is computed by scripts/page_digest.py, which needs no Node.
function sourceDigest() {
  const sum = createHash("sha256");
  for (const name of files(HERE)) sum.update(`${name}\0`).update(readFileSync(join(HERE, name))).update("\0");
  return `${sum.digest("hex")}\n`;
}

function notices() {
  return BUNDLED.map((name) => {
    const folder = join(HERE, "node_modules", name);
    const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const text = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
    return `${name} ${version} (${license})\n\n${text ? readFileSync(join(folder, text), "utf8").trim() : ""}\n`;
  }).join(`\n${"-".repeat(72)}\n\n`);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

function compareTrees(built) {
  const own = new Set([DIGEST, NOTICES]);
  const shipped = files(STATIC).filter((name) => !own.has(name));
  const fresh = files(built);
  if (shipped.join() !== fresh.join()) fail(`Other files than shipped: ${fresh.join(", ")} against ${shipped.join(", ")}`);
  for (const name of fresh)
    if (!readFileSync(join(built, name)).equals(readFileSync(join(STATIC, name)))) fail(`static/${name} differs from a fresh build`);
}

if (process.argv.includes("--write")) {
  writeFileSync(join(STATIC, NOTICES), notices());
  writeFileSync(join(STATIC, DIGEST), sourceDigest());
} else {
  if (readFileSync(join(STATIC, DIGEST), "utf8") !== sourceDigest()) fail("static/ was built from other source: run npm run build");
  if (process.argv.includes("--rebuild")) {
    const { build } = await import("vite");
    const built = mkdtempSync(join(tmpdir(), "page-"));
    try {
      await build({ root: HERE, logLevel: "error", build: { outDir: built, emptyOutDir: true } });
      compareTrees(built);
    } finally {
      rmSync(built, { recursive: true, force: true });
    }
  }
  console.log("static/ matches the source");
}
