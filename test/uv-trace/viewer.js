// SPDX-License-Identifier: MIT
// viewer.js PAGE TRACE [PICTURE]: opens a trace in speedscope. Fails if the page
// reports anything but how long it took.
const { chromium } = require('playwright-core');
const [page_path, trace, picture] = process.argv.slice(2);
const usual = /WebGL|^speedscope v|^Importing as Trace Event Format|^import: /;

async function open_trace(browser) {
  const complaints = [];
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.on('console', (m) => usual.test(m.text()) || complaints.push(m.text()));
  page.on('pageerror', (e) => complaints.push(e.message));
  page.on('dialog', (d) => { complaints.push(d.message()); d.dismiss(); });
  const imported = page.waitForEvent('console', {
    predicate: (m) => m.text().startsWith('import: '), timeout: 60000 });
  await page.goto('file://' + page_path);
  await page.setInputFiles('input[type=file]', trace);
  await imported;
  await page.waitForTimeout(500); // it draws
  if (picture)
    await page.screenshot({ path: picture });
  return complaints;
}

(async () => {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking',
      '--disable-component-update', '--disable-sync'] });
  const complaints = await open_trace(browser);
  await browser.close();
  for (const text of complaints.slice(0, 20))
    console.log(text);
  process.exit(complaints.length === 0 ? 0 : 1);
})().catch((e) => { console.log(e.message); process.exit(1); });
