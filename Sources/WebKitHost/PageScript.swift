// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

#if WebKit
/// The script that runs in every frame of every page, in a JavaScript world of its own that no page can see into: it
/// reports scroll position, form input and sessionStorage, and brings them back.
enum PageScript {
    /// The name of the isolated world, and of the message handler in it.
    static let world = "relight"

    /// The script with what it should restore: JSON of a `PageState`, or "null". JSON is also JavaScript (ECMA-262,
    /// since 2019).
    static func source(restore: String) -> String { "(\(body))(\(restore));" }

    /// The main frame's state as it is now: JSON of a `PageMessage`, or "null" while it is being restored.
    static let flush = "relight.flush()"
    /// Says whether the page is as it should be: JSON of a `PageVerdict`.
    static let verify = "relight.verify()"
    /// The heartbeat: an answer means that the page's main thread runs.
    static let beat = "1"

    /// Puts a little of everything into the empty document of a new view, so that what a content process does for the
    /// first time (fonts, controls, frames, storage) is done before a page needs it. It leaves no trace in the history.
    static let warmUp = """
        document.body.innerHTML = '<h1>Relight</h1><p>The quick brown fox <b>jumps</b> over <i>the lazy dog</i> 0123456789'
            + '<form><input value=a><input type=checkbox><textarea>b</textarea><select><option>c</select><button>d</button>'
            + '</form><ul><li>e</ul><table><tr><td>f</table><code>g</code><canvas width=8 height=8></canvas>'
            + '<img alt=h><iframe srcdoc="<p>i"></iframe>';
        document.body.querySelectorAll('input, textarea, select').length + document.body.scrollHeight;
        """

    private static let body = #"""
        function (restore) {
            'use strict';
            if (globalThis.relight) return;
            const QUIET = 150, MAXIMUM = 500, POLL = 400, PATIENCE = 5000;
            const LIMIT_FIELDS = 2000, LIMIT_TEXT = 262144;
            const SECRET = /(^|\s)(current-password|new-password|one-time-code|cc-number|cc-csc|cc-exp\S*)(\s|$)/;
            const SKIPPED = new Set(['hidden', 'file', 'submit', 'button', 'reset', 'image', 'password']);
            const isTop = window === window.parent;

            function post(message) {
                try { webkit.messageHandlers.relight.postMessage(JSON.stringify(message)); } catch { }
            }

            // The frame's place in the tree, which is the same after a reload: "0.2"; empty for the main frame.
            function path() {
                const indexes = [];
                for (let frame = window; frame !== frame.parent; frame = frame.parent) {
                    let index = 0;
                    while (index < frame.parent.length && frame.parent[index] !== frame) index++;
                    indexes.unshift(index);
                }
                return indexes.join('.');
            }

            // MARK: finding a control again

            function selectorWithin(root, element) {
                const unique = selector => root.querySelectorAll(selector).length === 1;
                const tag = element.localName;
                if (element.id && unique('#' + CSS.escape(element.id))) return '#' + CSS.escape(element.id);
                const name = element.getAttribute('name');
                if (name) {
                    let selector = `${tag}[name="${CSS.escape(name)}"]`;
                    if (element.type === 'radio' || element.type === 'checkbox')
                        selector += `[value="${CSS.escape(element.getAttribute('value') || '')}"]`;
                    if (unique(selector)) return selector;
                }
                const steps = [];
                for (let node = element; node && node.nodeType === 1; node = node.parentElement) {
                    if (node !== element && node.id && unique('#' + CSS.escape(node.id))) {
                        steps.unshift('#' + CSS.escape(node.id));
                        break;
                    }
                    let index = 1;
                    for (let other = node.previousElementSibling; other; other = other.previousElementSibling)
                        if (other.localName === node.localName) index++;
                    steps.unshift(`${CSS.escape(node.localName)}:nth-of-type(${index})`);
                }
                return steps.join(' > ');
            }

            function selector(element) {
                const root = element.getRootNode();
                const own = selectorWithin(root, element);
                return root instanceof ShadowRoot ? selector(root.host) + ' >>> ' + own : own;
            }

            function find(selector) {
                let root = document, element = null;
                for (const part of selector.split(' >>> ')) {
                    try { element = root && root.querySelector(part); } catch { return null; }
                    root = element && element.shadowRoot;
                }
                return element;
            }

            // MARK: reading

            const touched = new Set(), secrets = new WeakSet();

            function isSecret(element) {
                if (element.type === 'password' || SECRET.test(element.getAttribute('autocomplete') || ''))
                    secrets.add(element);
                return secrets.has(element);
            }

            function kind(element) {
                if (element instanceof HTMLInputElement) {
                    if (SKIPPED.has(element.type) || isSecret(element)) return null;
                    return element.type === 'checkbox' || element.type === 'radio' ? 'checked' : 'value';
                }
                if (element instanceof HTMLTextAreaElement) return isSecret(element) ? null : 'value';
                if (element instanceof HTMLSelectElement) return 'selected';
                return element.isContentEditable ? 'editable' : null;
            }

            function value(element, kind) {
                switch (kind) {
                case 'value': return element.value;
                case 'checked': return String(element.checked);
                case 'selected': return Array.from(element.selectedOptions, option => option.index).join(',');
                default: return element.innerHTML;
                }
            }

            function differsFromDefault(element, kind) {
                switch (kind) {
                case 'value': return element.value !== element.defaultValue;
                case 'checked': return element.checked !== element.defaultChecked;
                case 'selected':
                    if (Array.from(element.options).some(option => option.defaultSelected))
                        return Array.from(element.options).some(option => option.selected !== option.defaultSelected);
                    return element.multiple ? element.selectedOptions.length > 0 : element.selectedIndex > 0;
                default: return false;
                }
            }

            function fields() {
                const found = [];
                const add = (element, always) => {
                    const type = kind(element);
                    if (!type || found.length >= LIMIT_FIELDS) return;
                    if (!always && !differsFromDefault(element, type)) return;
                    const text = value(element, type);
                    if (text.length <= LIMIT_TEXT) found.push({ selector: selector(element), kind: type, value: text });
                };
                for (const element of touched) {
                    if (!element.isConnected) touched.delete(element);
                    else add(element, true);
                }
                for (const element of document.querySelectorAll('input, textarea, select'))
                    if (!touched.has(element)) add(element, false);
                return found;
            }

            function storage() {
                const items = {};
                try {
                    for (let index = 0; index < sessionStorage.length; index++) {
                        const key = sessionStorage.key(index);
                        items[key] = sessionStorage.getItem(key);
                    }
                } catch { }
                return items;
            }

            function state() {
                return {
                    path: path(), url: location.href, scrollX: window.scrollX, scrollY: window.scrollY,
                    fields: fields(), sessionStorage: storage(),
                };
            }

            // MARK: reporting

            let lastReport = '', lastStorage = '', lastAddress = '', timer = 0, firstChange = 0, restoring = null;

            function report() {
                clearTimeout(timer);
                timer = 0;
                firstChange = 0;
                if (restoring) return;
                const now = state();
                lastStorage = JSON.stringify(now.sessionStorage);
                lastAddress = now.url;
                const message = { type: 'state', frames: window.length, state: now };
                const text = JSON.stringify(message);
                if (text === lastReport) return;
                lastReport = text;
                post(message);
            }

            function changed() {
                const now = performance.now();
                if (!timer) firstChange = now;
                clearTimeout(timer);
                timer = setTimeout(report, Math.max(0, Math.min(QUIET, firstChange + MAXIMUM - now)));
            }

            function poll() {
                if (restoring) return;
                if (location.href !== lastAddress || JSON.stringify(storage()) !== lastStorage) changed();
            }

            function touch(event) {
                const target = event.composedPath()[0];
                if (!(target instanceof Element)) return;
                isSecret(target);
                let element = target;
                if (!kind(element)) element = element.closest('[contenteditable]') || element;
                if (kind(element) === 'editable')
                    while (element.parentElement && element.parentElement.isContentEditable)
                        element = element.parentElement;
                if (kind(element)) touched.add(element);
                if (restoring && event.isTrusted) restoring.release(element);
                changed();
            }

            const capture = { capture: true, passive: true };
            addEventListener('input', touch, capture);
            addEventListener('change', touch, capture);
            for (const name of ['scroll', 'reset', 'click', 'popstate', 'hashchange', 'pageshow', 'keyup'])
                addEventListener(name, changed, capture);
            addEventListener('pagehide', report, capture);
            document.addEventListener('visibilitychange', report, capture);
            setInterval(poll, POLL);

            // MARK: restoring

            const withoutFragment = address => address.split('#')[0];

            function origin(address) {
                try { return new URL(address).origin; } catch { return null; }
            }

            class Restoration {
                constructor(state) {
                    this.wanted = { x: state.scrollX, y: state.scrollY };
                    this.needsScroll = state.scrollX !== 0 || state.scrollY !== 0;
                    // The last choice of a radio group must be made last.
                    this.fields = state.fields.slice().sort((a, b) => (b.value === 'false') - (a.value === 'false'));
                    this.applied = new Map();
                    this.observer = new MutationObserver(() => this.step());
                }

                start() {
                    for (const name of ['wheel', 'touchmove', 'keydown', 'pointerdown'])
                        addEventListener(name, event => { if (event.isTrusted) this.needsScroll = false; }, capture);
                    // The engine restores a position of its own, an older one; before it is painted it is corrected.
                    addEventListener('scroll', () => this.scroll(), capture);
                    document.addEventListener('DOMContentLoaded', () => this.step(), { once: true });
                    addEventListener('load', () => {
                        this.step();
                        // A framework may put its own values in while it starts.
                        setTimeout(() => { this.again(); this.settle(); }, 300);
                    }, { once: true });
                    this.observer.observe(document, { childList: true, subtree: true });
                    setTimeout(() => this.finish(), PATIENCE);
                }

                get isDone() { return this.fields.length === 0 && this.distance <= 1; }

                step() {
                    this.fields = this.fields.filter(field => !this.apply(field));
                    this.scroll();
                }

                again() {
                    for (const [element, field] of this.applied)
                        if (element.isConnected && value(element, field.kind) !== field.value) this.set(element, field);
                }

                settle() {
                    this.step();
                    if (this.isDone) this.finish();
                    else setTimeout(() => { if (restoring) this.settle(); }, 50);
                }

                apply(field) {
                    const element = find(field.selector);
                    if (!element || kind(element) !== field.kind) return false;
                    try { this.set(element, field); } catch { return false; }
                    if (value(element, field.kind) !== field.value) return false;
                    touched.add(element);
                    this.applied.set(element, field);
                    return true;
                }

                set(element, field) {
                    if (value(element, field.kind) === field.value) return;
                    switch (field.kind) {
                    case 'value': element.value = field.value; break;
                    case 'checked': element.checked = field.value === 'true'; break;
                    case 'selected': {
                        const chosen = new Set(field.value.split(',').filter(Boolean).map(Number));
                        for (const option of element.options) option.selected = chosen.has(option.index);
                        break;
                    }
                    case 'editable': element.innerHTML = field.value; break;
                    }
                    element.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
                    if (field.kind !== 'editable') element.dispatchEvent(new Event('change', { bubbles: true }));
                }

                release(element) {
                    this.applied.delete(element);
                    this.fields = this.fields.filter(field => find(field.selector) !== element);
                }

                get distance() {
                    if (!this.needsScroll) return 0;
                    return Math.max(Math.abs(scrollX - this.wanted.x), Math.abs(scrollY - this.wanted.y));
                }

                scroll() {
                    if (restoring !== this || document.readyState === 'loading' || this.distance <= 1) return;
                    scrollTo({ left: this.wanted.x, top: this.wanted.y, behavior: 'instant' });
                }

                finish() {
                    if (!restoring) return;
                    this.observer.disconnect();
                    restoring = null;
                    changed();
                }
            }

            function begin() {
                if (!restore) return;
                const place = path();
                const mine = restore.frames.find(frame => frame.path === place);
                if (!mine) return;
                if (origin(mine.url) === location.origin) {
                    try {
                        for (const [key, text] of Object.entries(mine.sessionStorage))
                            if (sessionStorage.getItem(key) === null) sessionStorage.setItem(key, text);
                    } catch { }
                }
                if (withoutFragment(mine.url) !== withoutFragment(location.href)) return;
                restoring = new Restoration(mine);
                restoring.start();
            }

            // MARK: telling the host when the page can be shown

            const frame = () => new Promise(resolve => requestAnimationFrame(resolve));

            async function announce() {
                // Scrolled first, painted then, so that nobody sees the page jump.
                const deadline = performance.now() + 250;
                while (restoring && restoring.distance > 1 && performance.now() < deadline) {
                    restoring.scroll();
                    await frame();
                }
                await frame();
                await frame();
                post({ type: 'painted', url: location.href });
            }

            if (isTop) {
                let announced = false;
                const once = () => { if (!announced) { announced = true; announce(); } };
                addEventListener('load', once, { once: true });
                // A page may load for ever; two seconds after its document is there it is shown as it is.
                document.addEventListener('DOMContentLoaded', () => setTimeout(once, 2000), { once: true });
            }
            addEventListener('load', changed, { once: true });

            globalThis.relight = {
                flush() {
                    return restoring ? 'null' : JSON.stringify({ type: 'state', frames: window.length, state: state() });
                },
                verify() {
                    const missing = restoring ? restoring.fields.map(field => field.selector) : [];
                    const distance = restoring ? restoring.distance : 0;
                    return JSON.stringify({ url: location.href, missing, distance });
                },
            };
            begin();
        }
        """#
}
#endif
