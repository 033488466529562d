/** The hub's pages: plain HTML that a script brings to life. */
import { Html, html } from '../../lib/html.ts'

export type PageAssets = { css: string; script: (name: PageScript) => string }
export type PageScript = 'dashboard' | 'sign-in' | 'set-up'

export function dashboardPage(
  assets: PageAssets,
  operator: { email: string; csrfToken: string },
): string {
  return page(assets, {
    title: 'Dashboard',
    script: 'dashboard',
    head: html`<meta name="csrf-token" content="${operator.csrfToken}">`,
    body: html`
<header>
  <h1>Recordhub</h1>
  <p class="quiet" id="connection" role="status">connecting…</p>
  <form id="sign-out"><span class="quiet">${operator.email}</span> <button type="submit">Sign out</button></form>
</header>
<main>
  <section class="tiles" id="stats" aria-label="Figures"></section>
  <section class="card" aria-labelledby="pull-title">
    <h2 id="pull-title">Pull</h2>
    <p id="latest-sync" class="quiet">No pull yet.</p>
    <form method="post" action="/dashboard/pull-all-existing-records" data-ajax-form="pull-all-records">
      <button type="button">Pull All Existing Records</button>
    </form>
    <p id="pull-message" role="status"></p>
    <div id="pull-progress" hidden><progress max="100"></progress> <span></span></div>
  </section>
  <section class="card" aria-labelledby="platforms-title">
    <h2 id="platforms-title">Platforms</h2>
    <div class="scroll"><table><thead><tr><th>Title</th><th>Name</th><th>Status</th><th>Modules</th><th>Records</th><th>Latest sync</th><th>Last error</th><th></th></tr></thead><tbody id="platforms"></tbody></table></div>
    <details id="register"><summary>Register a platform</summary>
      <form id="probe">
        <label>Source base URL <input name="source_base_url" type="url" required placeholder="https://hr.example.org"></label>
        <label>Source API key <input name="source_api_key" type="password" required autocomplete="off"></label>
        <button type="submit">Fetch platform data</button>
      </form>
      <div id="probe-result" role="status"></div>
    </details>
  </section>
  <section class="card" aria-labelledby="records-title">
    <h2 id="records-title">Latest records</h2>
    <div class="scroll"><table><thead><tr><th>Reference</th><th>Name</th><th>Module</th><th>Platform</th><th>Updated</th></tr></thead><tbody id="records"></tbody></table></div>
  </section>
  <section class="card" aria-labelledby="logs-title">
    <h2 id="logs-title">Activity</h2>
    <div class="scroll"><table><thead><tr><th>Time</th><th>Level</th><th>What happened</th></tr></thead><tbody id="logs"></tbody></table></div>
  </section>
</main>`,
  })
}

export function signInPage(assets: PageAssets): string {
  return page(assets, {
    title: 'Sign in',
    script: 'sign-in',
    bodyClass: 'narrow',
    body: html`
<main class="card">
  <h1>Recordhub</h1>
  <form id="sign-in">
    <label>E-mail <input name="email" type="email" required autocomplete="username" autofocus></label>
    <label>Password <input name="password" type="password" required autocomplete="current-password"></label>
    <button type="submit">Sign in</button>
    <p id="message" role="alert"></p>
  </form>
</main>`,
  })
}

export function setupPage(assets: PageAssets): string {
  return page(assets, {
    title: 'First operator',
    script: 'set-up',
    bodyClass: 'narrow',
    body: html`
<main class="card">
  <h1>Welcome to Recordhub</h1>
  <p>Create the first operator. This one may do everything.</p>
  <form id="set-up">
    <label>Name <input name="name" autocomplete="name"></label>
    <label>E-mail <input name="email" type="email" required autocomplete="username"></label>
    <label>Password, 12 characters or more <input name="password" type="password" required minlength="12" autocomplete="new-password"></label>
    <button type="submit">Create and sign in</button>
    <p id="message" role="alert"></p>
  </form>
</main>`,
  })
}

function page(
  assets: PageAssets,
  parts: { title: string; script: PageScript; body: Html; head?: Html; bodyClass?: string },
): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${parts.head ?? new Html('')}
<title>${parts.title} · Recordhub</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assets.css}">
<script type="module" src="${assets.script(parts.script)}"></script>
</head>
<body class="${parts.bodyClass ?? ''}">${parts.body}
</body>
</html>
`.text
}
