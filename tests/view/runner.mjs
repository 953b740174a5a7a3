// Tests of the page: a list of names with what must be seen, run one after the other. A word on the command line
// runs only those that contain it, beside the first, on which the others stand.
const tests = [];

export const test = (name, body) => tests.push({ name, body });

export function check(condition, text) {
  if (!condition) throw new Error(text);
}

// onFailure(number) may keep a picture; finish() is called in the end. Returns how many have failed.
export async function runAll({ onFailure, finish }) {
  const only = process.argv[2];
  let failed = 0;
  try {
    for (const { name, body } of tests) {
      if (only && !name.includes(only) && name !== tests[0].name) continue;
      const start = Date.now();
      try {
        await body();
        console.log(`ok     ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
      } catch (error) {
        failed++;
        console.log(`FAILED ${name}\n  ${error.message}`);
        await Promise.resolve(onFailure(failed)).catch(() => {});
        if (name === tests[0].name) break;
      }
    }
  } finally {
    await finish();
  }
  return failed;
}
