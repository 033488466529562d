/** A report as one HTML file that can be shared: without scripts, external resources and keys. */

import type { CheckedEndpoint, ConformanceReport, Finding } from '@recordhub/protocol'
import { Html, html } from '@recordhub/protocol/html'
import { formatCounts, formatExamples, formatMeasurements, formatVerdict } from './report.ts'

export function reportHtml(report: ConformanceReport): string {
  const title = report.platform_title ?? report.source_base_url
  const state = report.success ? (report.warnings > 0 ? 'warning' : 'passed') : 'error'
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}: conformance report</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
<header>
<p class="kind">Recordhub conformance report</p>
<h1>${title}</h1>
<p class="verdict ${state}">${formatVerdict(report)} <span>${formatCounts(report)}.</span></p>
<dl>
<dt>Base URL</dt><dd>${report.source_base_url}</dd>
${report.platform_name === null ? '' : html`<dt>Platform name</dt><dd>${report.platform_name}</dd>`}
<dt>Checked</dt><dd><time datetime="${report.checked_at}">${formatTime(report.checked_at)}</time>, with Recordhub ${report.recordhub_version}</dd>
</dl>
${overview(report)}
</header>
${report.endpoints.map(section)}
<footer><p>The report contains references of records, but no values of their data. docs/conformance.md of Recordhub lists all rules.</p></footer>
</main>
</body>
</html>
`.text
}

function overview({ endpoints }: ConformanceReport): Html {
  return html`<table>
<thead><tr><th scope="col">Endpoint</th><th scope="col">Errors</th><th scope="col">Warnings</th><th scope="col">Notes</th></tr></thead>
<tbody>
${endpoints.map(
  (checked, index) => html`<tr><th scope="row"><a href="#e${index}">${checked.title}</a></th>
${SEVERITIES.map((severity) => countCell(checked, severity))}</tr>
`,
)}</tbody>
</table>`
}

const SEVERITIES = ['error', 'warning', 'note'] as const

function countCell({ findings }: CheckedEndpoint, severity: Finding['severity']): Html {
  const count = findings.filter((finding) => finding.severity === severity).length
  return html`<td class="${count > 0 ? severity : 'none'}">${count}</td>`
}

function section(checked: CheckedEndpoint, index: number): Html {
  return html`<section id="e${index}">
<h2>${checked.title}<small>${formatMeasurements(checked)}</small></h2>
<ul>
${checked.findings.map(finding)}
${checked.passed.map(
  (message) => html`<li class="passed"><b>Passed</b> ${message}</li>
`,
)}
</ul>
</section>
`
}

const SEVERITY_LABELS = { error: 'Error', warning: 'Warning', note: 'Note' } as const

function finding(one: Finding): Html {
  const examples = formatExamples(one)
  return html`<li class="${one.severity}"><b>${SEVERITY_LABELS[one.severity]}</b> ${one.message}
${examples === '' ? '' : html`<p class="examples">${examples}</p>`}
${one.advice === '' ? '' : html`<p>${one.advice}</p>`}
<p class="rule"><code>${one.rule}</code> · integration guide: ${one.section}</p></li>
`
}

/** Formats an RFC 3339 time in UTC: `2026-11-21 07:30 UTC`. */
function formatTime(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`
}

const STYLE = `
:root{color-scheme:light dark;--ink:#1f2328;--dim:#59636e;--line:#d1d9e0;--paper:#fff;--panel:#f6f8fa;--error:#b42318;--warning:#8a5a00;--note:#0a5fb4;--passed:#116329}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--dim:#9198a1;--line:#3d444d;--paper:#0d1117;--panel:#151b23;--error:#ff8f85;--warning:#e3b341;--note:#79b8ff;--passed:#57c767}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:52rem;margin:0 auto;padding:2rem 1rem}
h1{margin:0;font-size:1.75rem;line-height:1.25;overflow-wrap:anywhere}
h2{font-size:1.2rem;margin:2rem 0 .5rem;overflow-wrap:anywhere}
h2 small{font-weight:400;color:var(--dim);font-size:.9rem}
.kind,.rule,.examples,footer{color:var(--dim);font-size:.875rem}
.kind{margin:0}
.verdict{font-size:1.1rem;font-weight:600;border-left:.3rem solid;padding:.4rem .8rem;background:var(--panel)}
.verdict span{font-weight:400;color:var(--ink)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem}
dt{color:var(--dim)}dd{margin:0;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;margin-top:1rem}
th,td{text-align:right;padding:.3rem .5rem;border-bottom:1px solid var(--line);font-weight:400}
th:first-child{text-align:left;overflow-wrap:anywhere}thead th{color:var(--dim);font-size:.875rem}
a{color:inherit}
ul{list-style:none;margin:0;padding:0}
li{border-left:.3rem solid;padding:.4rem .8rem;margin:.5rem 0;background:var(--panel);break-inside:avoid;overflow-wrap:anywhere;color:var(--ink)}
li p{margin:.2rem 0}
li.error,td.error,.verdict.error{border-left-color:var(--error)}li.warning,.verdict.warning{border-left-color:var(--warning)}li.note{border-left-color:var(--note)}li.passed,.verdict.passed{border-left-color:var(--passed)}
.error>b,td.error,.verdict.error{color:var(--error)}.warning>b,td.warning,.verdict.warning{color:var(--warning)}.note>b,td.note{color:var(--note)}.passed>b,.verdict.passed{color:var(--passed)}
td.none{color:var(--dim)}td.error,td.warning{font-weight:600}
footer{margin-top:2rem;border-top:1px solid var(--line)}
@media print{:root{--ink:#000;--dim:#444;--line:#999;--paper:#fff;--panel:#fff;--error:#b42318;--warning:#8a5a00;--note:#0a5fb4;--passed:#116329}main{max-width:none;padding:0}body{font-size:11pt}}
`
