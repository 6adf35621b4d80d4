// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// The page that is put through crashes: a form, a long list, counters in both kinds of storage, and a script that
/// reports ten times a second what the page sees of itself.
package enum DemoPage {
    /// The page as load number `load`, which it paints into its band and sends with every report; `user` is who is
    /// logged in, nil for nobody.
    package static func html(load: Int, user: String?) -> String {
        let who = user.map { "Logged in (session \($0))." } ?? "Not logged in. <a href=\"/login\">Log in</a>"
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Relight demo page</title>
            <style>\(style)</style>
            </head>
            <body>
            \(PageBand.html(load: load))
            <main>
            <h1>Relight demo page</h1>
            <p id="who">\(who)</p>
            <p>This is load <b>\(load)</b>. Counters: localStorage <b id="ls">-</b>, IndexedDB <b id="idb">-</b>.</p>
            \(form)
            <ol id="list">\(rows)</ol>
            </main>
            <script>"use strict"; const LOAD = \(load);
            \(script)</script>
            </body>
            </html>

            """
    }

    /// A small page without scripts, for hosts without a browser engine.
    package static func plainHTML(title: String) -> String {
        let safe = title.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == " " || $0 == "-") }
        return "<!doctype html><title>\(safe)</title><h1>\(safe)</h1><p>A page without scripts.</p>\n"
    }

    private static let style = """
        html, body { margin: 0; background: #12384f; color: #f4f1de; font: 16px/1.4 sans-serif; }
        #band { position: fixed; top: 0; left: 0; height: \(PageBand.height)px; width: 100%; background: #000;
          z-index: 9; white-space: nowrap; overflow: hidden; display: flex; }
        #band i { width: \(PageBand.cellWidth)px; height: \(PageBand.height)px; flex: none; }
        main { padding: 36px 24px 24px; }
        h1 { margin: 0 0 8px; font-size: 26px; color: #f2cc8f; }
        a { color: #81d4fa; }
        form { display: grid; grid-template-columns: 130px 1fr; gap: 8px; max-width: 620px; padding: 12px;
          background: #3d5a80; border-radius: 8px; }
        input, textarea, select { font: inherit; }
        ol { padding: 0; list-style-position: inside; }
        li { height: 44px; padding: 8px 12px; box-sizing: border-box; background: #1b5e72; }
        li:nth-child(3n) { background: #81446a; }
        li:nth-child(3n+1) { background: #2f6b4f; }
        """

    private static let form = """
        <form id="form" onsubmit="return false" autocomplete="off">
        <label for="name">Name</label><input id="name" name="name" type="text">
        <label for="notes">Notes</label><textarea id="notes" name="notes" rows="2"></textarea>
        <label for="agree">I agree</label><span><input id="agree" name="agree" type="checkbox"></span>
        <span>Size</span><span>
        <label><input name="size" type="radio" value="small"> small</label>
        <label><input name="size" type="radio" value="medium"> medium</label>
        <label><input name="size" type="radio" value="large"> large</label></span>
        <label for="colour">Colour</label><select id="colour" name="colour">
        <option>none</option><option>red</option><option>green</option><option>blue</option></select>
        </form>
        """

    private static let rows = (1...160).map { "<li>Row \($0)</li>" }.joined(separator: "\n")

    /// `demo` is what the storm and the demo call through relightd's Evaluate.
    private static let script = """
        const $ = (id) => document.getElementById(id), form = $("form"), started = performance.now();
        const view = new URLSearchParams(location.search).get("view") || "";
        const demo = {
          values() {
            const size = form.querySelector("input[name=size]:checked");
            return { name: $("name").value, notes: $("notes").value, agree: $("agree").checked,
              size: size ? size.value : "", colour: $("colour").value };
          },
          fill(values) {
            $("name").value = values.name; $("notes").value = values.notes; $("agree").checked = values.agree;
            for (const radio of form.querySelectorAll("input[name=size]")) radio.checked = radio.value === values.size;
            $("colour").value = values.colour;
            for (const field of form.elements)
              for (const kind of ["input", "change"]) field.dispatchEvent(new Event(kind, { bubbles: true }));
            return true;
          },
          scroll(y) { window.scrollTo({ top: y, behavior: "instant" }); return Math.round(window.scrollY); },
          tick() { fetch("/tick", { cache: "no-store" }).catch(() => {}); return true; }
        };
        let ls = -1, idb = -1, ls0 = -1, idb0 = -1, db = null, opening = false, busy = false;
        const openDatabase = () => {
          if (opening) return;
          opening = true;
          const request = indexedDB.open("demo", 1), failed = () => { opening = false; };
          request.onupgradeneeded = () => request.result.createObjectStore("counters");
          request.onsuccess = () => { opening = false; db = request.result; db.onclose = () => { db = null; }; };
          request.onerror = failed; request.onblocked = failed;
        };
        const countInDatabase = () => {
          if (!db) { openDatabase(); return; }
          try {
            const change = db.transaction("counters", "readwrite");
            const store = change.objectStore("counters"), read = store.get("n");
            read.onsuccess = () => {
              const value = read.result || 0;
              if (idb0 < 0) idb0 = value;
              store.put(value + 1, "n");
              change.oncomplete = () => { idb = value + 1; };
            };
            change.onabort = () => { db = null; };
          } catch (error) { db = null; }
        };
        const countInStorage = () => {
          const value = Number(localStorage.getItem("n") || 0);
          if (ls0 < 0) ls0 = value;
          ls = value + 1;
          localStorage.setItem("n", String(ls));
        };
        const report = () => {
          if (busy) return;
          busy = true;
          const fields = new URLSearchParams({ view, load: LOAD, scroll: Math.round(window.scrollY), ls, idb, ls0, idb0,
            age: Math.round(performance.now() - started), form: JSON.stringify(demo.values()) });
          fetch("/report?" + fields, { cache: "no-store", signal: AbortSignal.timeout(1000) })
            .catch(() => {}).finally(() => { busy = false; });
        };
        const beat = () => {
          try { countInStorage(); } catch (error) { ls = -1; }
          countInDatabase();
          $("ls").textContent = ls; $("idb").textContent = idb;
          report();
        };
        openDatabase();
        setInterval(beat, 100);
        requestAnimationFrame(() => requestAnimationFrame(() => {
          fetch("/painted?" + new URLSearchParams({ view, load: LOAD }), { cache: "no-store" }).catch(() => {});
        }));
        """
}
