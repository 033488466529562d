import { callHub, element, valuesOf } from './hub.js'

const POLLING_INTERVAL_MS = 10_000
const csrfToken = document.querySelector('meta[name="csrf-token"]').content
const find = (selector) => document.querySelector(selector)

const dateFormat = new Intl.DateTimeFormat('en-US', {
  month: 'short',
  day: '2-digit',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hour12: true,
})
const numberFormat = new Intl.NumberFormat('en-US')

/** "Nov 21, 2026 07:30 AM" */
function formatTime(iso) {
  if (!iso) return '–'
  const part = Object.fromEntries(
    dateFormat.formatToParts(new Date(iso)).map(({ type, value }) => [type, value]),
  )
  return `${part.month} ${part.day}, ${part.year} ${part.hour}:${part.minute} ${part.dayPeriod}`
}

function time(iso) {
  return iso ? element('time', { datetime: iso, title: iso }, formatTime(iso)) : '–'
}

const row = (...cells) => element('tr', {}, ...cells.map((cell) => element('td', {}, cell)))

function fill(selector, rows, whenEmpty) {
  const body = find(selector)
  const columns = String(body.closest('table').querySelectorAll('th').length)
  const empty = element('tr', {}, element('td', { colspan: columns, class: 'quiet' }, whenEmpty))
  body.replaceChildren(...(rows.length > 0 ? rows : [empty]))
}

function showStats(stats) {
  const tiles = [
    ['Platforms active', `${stats.active_platforms} / ${stats.platforms}`],
    ['Modules', numberFormat.format(stats.modules)],
    ['Records', numberFormat.format(stats.records)],
    ['Received today', numberFormat.format(stats.received_today)],
    ['Rejected today', numberFormat.format(stats.rejected_today)],
  ]
  find('#stats').replaceChildren(
    ...tiles.map(([label, value]) =>
      element(
        'div',
        { class: 'card tile' },
        element('strong', {}, value),
        element('span', {}, label),
      ),
    ),
  )
}

function showPull({ running, pull }, latest) {
  const progress = find('#pull-progress')
  progress.hidden = !running
  if (running) {
    const { percent, records_received, tasks_done, tasks_total } = pull.progress
    progress.querySelector('progress').value = percent ?? 0
    progress.querySelector('span').textContent =
      `${pull.state}: ${tasks_done} of ${tasks_total} modules, ${numberFormat.format(records_received)} records`
  }
  if (!latest) return
  const by = latest.trigger === 'schedule' ? 'by schedule' : 'by an operator'
  find('#latest-sync').replaceChildren(
    'Latest sync: ',
    time(latest.finished_at),
    `, ${by}, ${latest.state.replace('_', ' ')}`,
  )
}

function statusButton(platform) {
  const next = platform.status === 'active' ? 'inactive' : 'active'
  const label = next === 'active' ? 'Activate' : 'Deactivate'
  return element('button', { type: 'button', onclick: () => setStatus(platform.id, next) }, label)
}

function show(snapshot) {
  showStats(snapshot.stats)
  showPull(snapshot.pull, snapshot.latest_sync)
  fill(
    '#platforms',
    snapshot.platforms.map((platform) =>
      row(
        platform.display_title,
        platform.platform_name,
        element(
          'span',
          { class: `status ${platform.status}` },
          platform.status === 'active' ? 'Active' : 'Inactive',
        ),
        `${platform.modules_registered} registered`,
        numberFormat.format(platform.records),
        time(platform.latest_sync_at),
        platform.last_error ?? '–',
        statusButton(platform),
      ),
    ),
    'No platform yet. Register one below.',
  )
  fill(
    '#records',
    snapshot.records.map((record) =>
      row(
        record.reference_number,
        record.full_name || '–',
        record.module_name,
        record.platform_name,
        time(record.updated_at),
      ),
    ),
    'No records yet. They come with the first pull or push.',
  )
  fill(
    '#logs',
    snapshot.logs.map((line) =>
      row(
        time(line.at),
        element('span', { class: `status ${line.level}` }, line.level),
        line.message,
      ),
    ),
    'Nothing has happened yet.',
  )
}

// Asked for every 10 seconds and never more often, whoever asks: an earlier wish waits its turn.
let askedAt = -Infinity
let timer
let etag = ''

function schedulePoll() {
  clearTimeout(timer)
  if (document.hidden) return
  const wait = askedAt + POLLING_INTERVAL_MS - performance.now()
  timer = setTimeout(poll, Math.max(0, wait))
}

async function poll() {
  askedAt = performance.now()
  const headers = { Accept: 'application/json', 'X-Requested-With': 'XMLHttpRequest' }
  if (etag) headers['If-None-Match'] = etag
  try {
    const response = await fetch('/dashboard/realtime', { headers, cache: 'no-store' })
    if (response.status === 401) {
      location.assign('/sign-in')
      return
    }
    if (response.ok) {
      etag = response.headers.get('ETag') ?? ''
      show(await response.json())
    }
    const isWell = response.ok || response.status === 304
    find('#connection').textContent = isWell
      ? 'refreshes every 10 s'
      : 'the hub has trouble, retrying'
  } catch {
    find('#connection').textContent = 'offline, retrying'
  }
  schedulePoll()
}

document.addEventListener('visibilitychange', schedulePoll)
schedulePoll()

/** Tells of a session that has ended rather than of a number. */
function wordsOf({ status, body }) {
  if (status === 419 || status === 401) return 'Your session has ended. Sign in again.'
  return body?.message ?? 'The hub did not answer. Try again.'
}

const pullForm = find('form[data-ajax-form="pull-all-records"]')
pullForm.querySelector('button').addEventListener('click', async () => {
  const answer = await callHub(pullForm.action, { csrfToken }).catch(() => ({ status: 0 }))
  find('#pull-message').textContent = wordsOf(answer)
  if (answer.body?.pull) showPull({ running: true, pull: answer.body.pull }, null)
})

async function setStatus(id, status) {
  const answer = await callHub(`/api/v1/platforms/${id}`, {
    method: 'PATCH',
    body: { status },
    csrfToken,
  })
  find('#connection').textContent = answer.ok ? 'saved, shown within 10 s' : wordsOf(answer)
}

find('#sign-out').addEventListener('submit', async (event) => {
  event.preventDefault()
  await callHub('/api/auth/sign-out', { body: {}, csrfToken })
  location.assign('/sign-in')
})

const probeForm = find('#probe')
const probeResult = find('#probe-result')

probeForm.addEventListener('submit', async (event) => {
  event.preventDefault()
  probeResult.replaceChildren('Asking the platform…')
  const target = valuesOf(probeForm)
  const answer = await callHub('/api/v1/platforms/probe', { body: target, csrfToken })
  if (!answer.ok) return probeResult.replaceChildren(wordsOf(answer))
  const { problems, manifest } = answer.body
  if (problems.length > 0) {
    const items = problems.map((problem) => element('li', {}, problem.message))
    return probeResult.replaceChildren(element('ul', { class: 'problems' }, ...items))
  }
  probeResult.replaceChildren(moduleForm(target, manifest))
})

function moduleForm(target, manifest) {
  const boxes = manifest.modules.map((module) =>
    element(
      'label',
      { class: 'choice' },
      element('input', {
        type: 'checkbox',
        name: 'record_type',
        value: module.record_type,
        checked: true,
      }),
      ` ${module.module_name} (${module.record_type}, ${module.fields.length} fields)`,
    ),
  )
  const form = element(
    'form',
    {},
    element('p', {}, `${manifest.platform_title}: choose the modules to receive.`),
    ...boxes,
    element('button', { type: 'submit' }, 'Register'),
  )
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const record_types = new FormData(form).getAll('record_type')
    const answer = await callHub('/api/v1/platforms', {
      body: { ...target, record_types },
      csrfToken,
    })
    if (!answer.ok) return form.append(element('p', { role: 'alert' }, wordsOf(answer)))
    probeForm.reset()
    probeResult.replaceChildren(
      element(
        'p',
        {},
        'Registered. Give this hub API key to the platform; keep it to yourself otherwise:',
      ),
      element('code', { class: 'key' }, answer.body.hub_api_key),
    )
  })
  return form
}
