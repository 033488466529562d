import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { chromium } from 'playwright-core'
import { FLAGS } from './helpers/browser/browser.ts'
import { resolveChromium } from './helpers/browser/program.ts'
import { mkdtempSync, mkdirSync } from 'node:fs'
const folder = mkdtempSync('/tmp/out/undo40-demo-')
const OUT = '/tmp/out/shots-undo'; mkdirSync(OUT, { recursive: true })
const demo = spawn(process.execPath, ['packages/server/src/main.ts', 'demo', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, TMPDIR: folder } })
const out = new Map<string, string>()
for await (const line of createInterface(demo.stdout!)) { const [, l = '', v = ''] = /^ {2}([\w-]+) +(\S.*)$/.exec(line) ?? []; out.set(l, v); if (l === 'Password') break }
const base = new URL(out.get('Open')!).origin
console.log(base, demo.pid)
const { path, env } = await resolveChromium()
const browser = await chromium.launch({ executablePath: path, env, args: [...FLAGS] } as any)
try {
  const ctx = await browser.newContext({ baseURL: base }); ctx.setDefaultTimeout(40000)
  const H: Record<string, string> = { Origin: base }
  const r = await ctx.request.post('/api/auth/sign-in/email', { data: { email: out.get('E-mail'), password: out.get('Password') }, headers: H })
  if (!r.ok()) throw new Error(await r.text())
  const call = async (m: string, p: string, data?: unknown) => { const r = await ctx.request.fetch(p, { method: m, data: data as any, headers: H }); const b = await r.json(); if (!r.ok()) console.log(m, p, r.status(), JSON.stringify(b)); return b }
  H['x-csrf-token'] = (await call('GET', '/api/v1/session')).csrf_token
  const page = await ctx.newPage()
  const shot = async (name: string, url: string, act?: () => Promise<void>) => {
    for (const [scheme, width] of [['light', 1440], ['dark', 390]] as const) {
      await page.setViewportSize({ width, height: width === 390 ? 1400 : 900 }); await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
      await page.goto(url); await page.locator('main h1, aside h1').first().waitFor({ state: 'attached' })
      await page.waitForFunction('document.querySelectorAll("[aria-busy=true]").length === 0').catch(() => console.log(name, 'busy'))
      await act?.(); await page.waitForTimeout(400); await page.screenshot({ path: `${OUT}/${name}-${scheme}-${width}.png` })
    }
  }
  const { pulls } = await call('GET', '/api/v1/pulls?limit=100')
  console.log(JSON.stringify(pulls.map((p: any) => [p.id, p.state, p.counts?.created, p.counts?.updated, p.counts?.missing])))
  const sizes: any[] = []
  for (const p of pulls.filter((p: any) => p.finished_at && p.counts.created + p.counts.updated > 0)) { const { revert } = await call('POST', '/api/v1/reverts', { scope: { pull_id: p.id }, reason: 'The import at the source emptied a column' }); if (revert) sizes.push([p.id, revert.id, revert.counts]) }
  console.log(JSON.stringify(sizes))
  const best = sizes.sort((a, b) => Math.min(b[2].reverted, 1) - Math.min(a[2].reverted, 1) || b[2].kept - a[2].kept || b[2].reverted - a[2].reverted)[0]
  const id = best[1]
  await shot('1-plan', `/dashboard/reverts/${id}`)
  await shot('2-plan-kept', `/dashboard/reverts/${id}?outcome=kept`)
  await shot('3-plan-impossible', `/dashboard/reverts/${id}?outcome=impossible`)
  await call('POST', `/api/v1/reverts/${id}/start`, { password: out.get('Password') })
  await shot('4-progress', `/dashboard/reverts/${id}`)
  for (;;) { const { revert } = await call('GET', `/api/v1/reverts/${id}`); if (revert.finished_at) { console.log(JSON.stringify(revert)); break } await new Promise(r => setTimeout(r, 200)) }
  await shot('5-result', `/dashboard/reverts/${id}`)
  await shot('6-result-kept', `/dashboard/reverts/${id}?outcome=kept`)
  await shot('7-list', '/dashboard/reverts')
  await shot('8-holds', '/dashboard/reverts?tab=holds')
  const { records } = await call('GET', `/api/v1/reverts/${id}/records?outcome=reverted&limit=1`)
  await shot('9-record', `/dashboard/records?record=${records[0]?.record_id}`)
  await shot('10-history', `/dashboard/records?record=${records[0]?.record_id}&tab=history`)
  await shot('11-inbox', '/dashboard/inbox')
  const { pull } = await call('POST', '/api/v1/pulls', {})
  if (pull) { for (;;) { const b = await call('GET', `/api/v1/pulls/${pull.id}`); if (b.pull.finished_at) { console.log(JSON.stringify(b.tasks?.filter((t: any) => t.held).map((t: any) => [t.record_type, t.held, t.updated, t.state]))); break } await new Promise(r => setTimeout(r, 500)) }; await shot('12-pull-after', `/dashboard/pulls/${pull.id}`) }
  const big = await call('POST', '/api/v1/reverts', { scope: { revert_id: id }, reason: 'The list was right after all' })
  await call('POST', `/api/v1/reverts/${big.revert.id}/start`, { password: out.get('Password') })
  for (;;) { const { revert } = await call('GET', `/api/v1/reverts/${big.revert.id}`); if (revert.finished_at) { console.log(JSON.stringify(revert)); break } await new Promise(r => setTimeout(r, 200)) }
  await shot('13-undone', `/dashboard/reverts/${id}`)
  await shot('14-undo-result', `/dashboard/reverts/${big.revert.id}`)
} finally { await browser.close(); demo.kill('SIGTERM') }
