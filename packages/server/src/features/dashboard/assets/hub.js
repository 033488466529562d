// What the pages share: calls to the hub, and building elements (text only, so nothing is injected).

/** The answer of the hub to a JSON call; `body` is null where it was no JSON. */
export async function callHub(path, { method = 'POST', body, csrfToken } = {}) {
  const headers = { Accept: 'application/json', 'X-Requested-With': 'XMLHttpRequest' }
  if (csrfToken) headers['X-CSRF-TOKEN'] = csrfToken
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  const response = await fetch(path, {
    method,
    headers,
    credentials: 'same-origin',
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const answer = await response.json().catch(() => null)
  return { status: response.status, ok: response.ok, body: answer }
}

/** An element with attributes and children; a string child becomes text. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value)
    else if (value !== false) made.setAttribute(key, value === true ? '' : value)
  }
  made.append(...children)
  return made
}

/** The values of a form's fields by name. */
export function valuesOf(form) {
  return Object.fromEntries(new FormData(form))
}

/** Signs in and goes to the dashboard; returns what to tell the person where that fails. */
export async function signIn({ email, password }) {
  const { ok, status, body } = await callHub('/api/auth/sign-in/email', {
    body: { email, password },
  })
  if (ok) {
    location.assign('/dashboard')
    return ''
  }
  if (status === 429) return 'Too many attempts. Wait a minute and try again.'
  if (status === 401) return 'The e-mail or the password is wrong.'
  return body?.message ?? 'The hub did not answer. Try again.'
}
