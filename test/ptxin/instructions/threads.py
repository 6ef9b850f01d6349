import forms
